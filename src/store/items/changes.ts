import { lastOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ReadableProfile } from '../identity/readable-profiles.ts'
import { FIRST_ITEM_ID, hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { withoutHidden } from './hidden-copies.ts'

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

/** Items of a profile as they are now. */
export interface CurrentItems {
  items: ChangedItem[]
  /** Those of which another profile has the copy that is read: what somebody has of them, they get from there. */
  hidden: ChangedItem[]
}

export interface Changes extends CurrentItems {
  tombstones: Tombstone[]
  /** The lists hold every change up to this seq. */
  upTo: number
  more: boolean
}

const itemColumns = `seq, ${hexId('id')} as id, endpoint, native_id, at, updated_at, types, guid, author, participants,
  lat, lng, oembed::text as oembed, data::text as data`
const tombstoneColumns = `seq, ${hexId('id')} as id, endpoint, native_id, deleted_at`
// The first item is always returned, however large; the others only while they fit.
const findItemsAfter = statement(
  'changes-items',
  `select ${itemColumns}, found from (
     select *, sum(octet_length(data::text) + 1000) over (order by seq rows unbounded preceding) as bytes,
       row_number() over (order by seq) as n, count(*) over () as found
     from (
       select * from item where shard = $shard and profile_id = $profileId and seq > $after order by seq limit $maxRows
     ) next) sized
   where bytes <= $maxBytes or n = 1 order by seq`,
)
const findTombstonesAfter = statement(
  'changes-tombstones',
  `select ${tombstoneColumns} from item_tombstone
   where shard = $shard and profile_id = $profileId and seq > $after order by seq limit $maxRows`,
)
const findLatestSeq = statement(
  'changes-latest',
  'select seq from profile_sync where shard = $shard and profile_id = $profileId',
)
const findItemsById = statement(
  'changes-by-id',
  `select ${itemColumns} from item
   where shard = $shard and profile_id = $profileId and id = any($ids::uuid[]) order by seq`,
)
const findTombstonesBySeq = statement(
  'changes-tombstones-by-seq',
  `select ${tombstoneColumns} from item_tombstone
   where shard = $shard and profile_id = $profileId and seq = any($seqs)`,
)
const findItemsAfterId = statement(
  'changes-after-id',
  `select ${itemColumns} from item
   where shard = $shard and profile_id = $profileId and id > $afterId::uuid order by id limit $limit`,
)
const findDeletedIds = statement(
  'changes-deleted-ids',
  `select ${hexId('id')} as id from item_tombstone
   where shard = $shard and profile_id = $profileId and seq > $after and id = any($ids::uuid[])`,
)
const lockLatestSeq = statement(
  'changes-lock',
  'select seq from profile_sync where shard = $shard and profile_id = $profileId for update',
)
const renumberTombstones = statement(
  'changes-renumber-tombstones',
  `update item_tombstone t set seq = $base + n.number from (
     select seq, row_number() over (order by seq) as number from item_tombstone
     where shard = $shard and profile_id = $profileId and seq > $after and seq <= $seen and deleted_at > $sinceMs) n
   where t.shard = $shard and t.profile_id = $profileId and t.seq = n.seq`,
)
const renumberItems = statement(
  'changes-renumber-items',
  `update item i set seq = $base + n.number from (
     select id, row_number() over (order by seq) as number from item
     where shard = $shard and profile_id = $profileId and seq > $after and updated_at > $sinceMs) n
   where i.shard = $shard and i.profile_id = $profileId and i.id = n.id`,
)
const setLatestSeq = statement(
  'changes-set-latest',
  'update profile_sync set seq = $seq where shard = $shard and profile_id = $profileId',
)

/**
 * The changes of a profile after a seq, in order, as many as fit. An item that changed twice is listed at its last
 * change: a consumer gets its newest state once.
 */
export async function changesAfter(
  queries: Queries,
  profile: ReadableProfile,
  after: number,
  limits: { rows: number; bytes: number },
): Promise<Changes> {
  const { shard, profileId } = profile
  // Read first: a change that is committed after this may be in one of the lists and not in the other.
  const latest = await latestChange(queries, { shard, profileId })
  if (latest === undefined || latest <= after)
    return { items: [], hidden: [], tombstones: [], upTo: after, more: false }
  const page = { shard, profileId, after, maxRows: limits.rows }
  const itemRows = await queries.rows<ChangedRow>(findItemsAfter.with({ ...page, maxBytes: limits.bytes }))
  const tombstoneRows = await queries.rows<TombstoneRow>(findTombstonesAfter.with(page))
  // Both lists are cut at the same seq: otherwise a deletion could be delivered before an item that precedes it.
  const found = itemRows[0]?.found ?? 0
  const cuts = [
    ...(found === limits.rows || itemRows.length < found ? [lastOf(itemRows).seq] : []),
    ...(tombstoneRows.length === limits.rows ? [lastOf(tombstoneRows).seq] : []),
  ]
  const upTo = Math.min(latest, ...cuts)
  return {
    ...(await splitHidden(
      queries,
      profile,
      itemRows.filter((row) => row.seq <= upTo),
    )),
    tombstones: tombstoneRows.filter((row) => row.seq <= upTo).map(toTombstone),
    upTo,
    more: cuts.length > 0,
  }
}

async function splitHidden(queries: Queries, profile: ReadableProfile, rows: ChangedRow[]): Promise<CurrentItems> {
  const all = rows.map(toItem)
  const items = await withoutHidden(queries, profile, all)
  if (items.length === all.length) return { items, hidden: [] }
  const shown = new Set(items)
  return { items, hidden: all.filter((item) => !shown.has(item)) }
}

/** The seq of the newest change. */
export async function latestChange(queries: Queries, { shard, profileId }: ProfileKey): Promise<number | undefined> {
  return (await queries.rows<{ seq: number }>(findLatestSeq.with({ shard, profileId })))[0]?.seq
}

/** The current state of these items; deleted ones are missing. */
export async function itemsById(queries: Queries, profile: ReadableProfile, ids: string[]): Promise<CurrentItems> {
  const { shard, profileId } = profile
  const rows = await queries.rows<ChangedRow>(findItemsById.with({ shard, profileId, ids }))
  return splitHidden(queries, profile, rows)
}

/** The current state of the items after an id, in the order of their ids; `last` is where the next ones begin, if there are any. */
export async function itemsAfterId(
  queries: Queries,
  profile: ReadableProfile,
  after: string,
  limit: number,
): Promise<CurrentItems & { last: string | undefined }> {
  const { shard, profileId } = profile
  const afterId = after === '' ? FIRST_ITEM_ID : after
  const rows = await queries.rows<ChangedRow>(findItemsAfterId.with({ shard, profileId, afterId, limit }))
  const last = rows.length < limit ? undefined : lastOf(rows).id
  return { ...(await splitHidden(queries, profile, rows)), last }
}

/** Which of these items were deleted after a seq. */
export async function tombstonesAmong(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  ids: string[],
  after: number,
): Promise<string[]> {
  const rows = await queries.rows<{ id: string }>(findDeletedIds.with({ shard, profileId, ids, after }))
  return rows.map(({ id }) => id)
}

export async function tombstonesBySeq(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  seqs: number[],
): Promise<Tombstone[]> {
  return (await queries.rows<TombstoneRow>(findTombstonesBySeq.with({ shard, profileId, seqs }))).map(toTombstone)
}

/**
 * A store that was restored from a backup assigns the same seqs again. Changes written since the restore under a seq
 * that a destination has already seen get a new seq, after all existing ones.
 */
export async function renumberChanges(
  tx: Queries,
  { shard, profileId }: ProfileKey,
  { after, seen, sinceMs }: { after: number; seen: number; sinceMs: number },
): Promise<void> {
  const [latest] = await tx.rows<{ seq: number }>(lockLatestSeq.with({ shard, profileId }))
  if (latest === undefined) return
  const range = { shard, profileId, after, sinceMs }
  const base = Math.max(latest.seq, seen)
  // An item that exists is newer than any tombstone of it, so the tombstones come first.
  const tombstones = await tx.count(renumberTombstones.with({ ...range, seen, base }))
  // Also those whose seq nobody has seen: the order of seqs stays the order of times.
  const items = await tx.count(renumberItems.with({ ...range, base: base + tombstones }))
  await tx.count(setLatestSeq.with({ shard, profileId, seq: base + tombstones + items }))
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
  /** How many rows there were before the limit on bytes. */
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
