import { lastOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

export interface ChangedItem {
  seq: number
  id: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
  types: number
  guid: string[]
  author: string | undefined
  participants: string[]
  lat: number | undefined
  lng: number | undefined
  oembed: string
  data: string
}

export interface Tombstone {
  seq: number
  id: string
  endpoint: string
  nativeId: string
  deletedAt: number
}

export interface Changes {
  items: ChangedItem[]
  tombstones: Tombstone[]
  /** Everything up to this number is in the lists. */
  upTo: number
  more: boolean
}

const columns = `seq, replace(id::text, '-', '') as id, endpoint, native_id, at, updated_at, types, guid, author, participants, lat, lng,
     oembed::text as oembed, data::text as data`
// The first one always comes, however large; after that only what fits.
const changed = statement(
  'changes-items',
  `select ${columns}, found from (
     select *, sum(octet_length(data::text) + 1000) over (order by seq rows unbounded preceding) as bytes, row_number() over (order by seq) as n,
       count(*) over () as found
     from (select * from item where shard = $1 and profile_id = $2 and seq > $3 order by seq limit $4) next) sized
   where bytes <= $5 or n = 1 order by seq`,
)
const tombstones = statement(
  'changes-gone',
  `select seq, replace(id::text, '-', '') as id, endpoint, native_id, deleted_at from item_tombstone where shard = $1 and profile_id = $2 and seq > $3 order by seq limit $4`,
)
const latest = statement('changes-latest', 'select seq from profile_sync where shard = $1 and profile_id = $2')
const byId = statement(
  'changes-by-id',
  `select ${columns} from item where shard = $1 and profile_id = $2 and id = any($3::uuid[]) order by seq`,
)
const deletedAt = statement(
  'changes-gone-at',
  `select seq, replace(id::text, '-', '') as id, endpoint, native_id, deleted_at from item_tombstone where shard = $1 and profile_id = $2 and seq = any($3)`,
)
const afterId = statement(
  'changes-after-id',
  `select ${columns} from item where shard = $1 and profile_id = $2 and id > $3::uuid order by id limit $4`,
)
const laterTombstones = statement(
  'changes-gone-later',
  `select replace(id::text, '-', '') as id from item_tombstone where shard = $1 and profile_id = $2 and seq > $4 and id = any($3::uuid[])`,
)
const lockTop = statement(
  'changes-lock',
  'select seq from profile_sync where shard = $1 and profile_id = $2 for update',
)
const renumberTombstones = statement(
  'changes-renumber-gone',
  `update item_tombstone g set seq = $5 + n.number from (
     select seq, row_number() over (order by seq) as number from item_tombstone
     where shard = $1 and profile_id = $2 and seq > $3 and seq <= $4 and deleted_at > $6) n
   where g.shard = $1 and g.profile_id = $2 and g.seq = n.seq`,
)
const renumberItems = statement(
  'changes-renumber-items',
  `update item i set seq = $5 + n.number from (
     select id, row_number() over (order by seq) as number from item
     where shard = $1 and profile_id = $2 and seq > $3 and seq <= $4 and updated_at > $6) n
   where i.shard = $1 and i.profile_id = $2 and i.id = n.id`,
)
const setTop = statement('changes-top', 'update profile_sync set seq = $3 where shard = $1 and profile_id = $2')

/**
 * The changes of a profile after a number, in order, no more than fit. An item that changed twice stands where it changed last: who
 * follows gets its newest state, and nothing that is overtaken already.
 */
export async function changesAfter(
  queries: Queries,
  key: ProfileKey,
  seq: number,
  most: { rows: number; bytes: number },
): Promise<Changes> {
  // Asked first: what is committed later than this may be in one of the lists and not in the other.
  const top = await latestChange(queries, key)
  if (top === undefined || top <= seq) return { items: [], tombstones: [], upTo: seq, more: false }
  const items = await queries.rows<ChangedRow>(changed, [key.shard, key.profileId, seq, most.rows, most.bytes])
  const tombstoneRows = await queries.rows<TombstoneRow>(tombstones, [key.shard, key.profileId, seq, most.rows])
  // Cut both lists at the same place, or a deletion could pass by an item that comes before it.
  const found = items[0]?.found ?? 0
  const cuts = [
    ...(found === most.rows || items.length < found ? [lastOf(items).seq] : []),
    ...(tombstoneRows.length === most.rows ? [lastOf(tombstoneRows).seq] : []),
  ]
  const upTo = Math.min(top, ...cuts)
  return {
    items: items.filter((row) => row.seq <= upTo).map(toItem),
    tombstones: tombstoneRows.filter((row) => row.seq <= upTo).map(toTombstone),
    upTo,
    more: cuts.length > 0,
  }
}

/** The number of the newest change. */
export async function latestChange(queries: Queries, key: ProfileKey): Promise<number | undefined> {
  return (await queries.rows<{ seq: number }>(latest, [key.shard, key.profileId]))[0]?.seq
}

/** Items as they are now; those that are gone are missing. */
export async function itemsById(queries: Queries, key: ProfileKey, ids: string[]): Promise<ChangedItem[]> {
  return (await queries.rows<ChangedRow>(byId, [key.shard, key.profileId, ids])).map(toItem)
}

const FIRST_ID = '00000000000000000000000000000000'

/** Items as they are now, in order of their ids. */
export async function itemsAfterId(
  queries: Queries,
  key: ProfileKey,
  after: string,
  limit: number,
): Promise<ChangedItem[]> {
  const args = [key.shard, key.profileId, after === '' ? FIRST_ID : after, limit]
  return (await queries.rows<ChangedRow>(afterId, args)).map(toItem)
}

/** Which of these were deleted after a number. */
export async function tombstonesAmong(
  queries: Queries,
  key: ProfileKey,
  ids: string[],
  after: number,
): Promise<string[]> {
  const rows = await queries.rows<{ id: string }>(laterTombstones, [key.shard, key.profileId, ids, after])
  return rows.map(({ id }) => id)
}

/** Deletions by their numbers. */
export async function tombstonesBySeq(queries: Queries, key: ProfileKey, seqs: number[]): Promise<Tombstone[]> {
  return (await queries.rows<TombstoneRow>(deletedAt, [key.shard, key.profileId, seqs])).map(toTombstone)
}

/**
 * A store that was restored from a backup hands out numbers a second time. What was written since then, under a number that a
 * destination has seen already, gets a new one; so do all later changes.
 */
export async function renumberChanges(
  tx: Queries,
  key: ProfileKey,
  { after, seen, sinceMs }: { after: number; seen: number; sinceMs: number },
): Promise<void> {
  const [top] = await tx.rows<{ seq: number }>(lockTop, [key.shard, key.profileId])
  if (top === undefined) return
  const base = Math.max(top.seq, seen)
  // An item that is there is newer than any trace of its deletion, so the traces come first.
  const tombstones = await tx.count(renumberTombstones, [key.shard, key.profileId, after, seen, base, sinceMs])
  const items = await tx.count(renumberItems, [key.shard, key.profileId, after, seen, base + tombstones, sinceMs])
  await tx.count(setTop, [key.shard, key.profileId, base + tombstones + items])
}

interface ChangedRow {
  seq: number
  id: string
  endpoint: string
  native_id: string
  at: number
  updated_at: number
  types: number
  guid: string[]
  author: string | null
  participants: string[]
  lat: number | null
  lng: number | null
  oembed: string
  data: string
  /** How many there were before the size was looked at. */
  found: number
}

interface TombstoneRow {
  seq: number
  id: string
  endpoint: string
  native_id: string
  deleted_at: number
}

function toItem(row: ChangedRow): ChangedItem {
  return {
    seq: row.seq,
    id: row.id,
    endpoint: row.endpoint,
    nativeId: row.native_id,
    at: row.at,
    updatedAt: row.updated_at,
    types: row.types,
    guid: row.guid,
    author: row.author ?? undefined,
    participants: row.participants,
    lat: row.lat ?? undefined,
    lng: row.lng ?? undefined,
    oembed: row.oembed,
    data: row.data,
  }
}

function toTombstone(row: TombstoneRow): Tombstone {
  return { seq: row.seq, id: row.id, endpoint: row.endpoint, nativeId: row.native_id, deletedAt: row.deleted_at }
}
