import {
  arrayLiteral,
  byteaArray,
  float8Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '#platform/postgres/binary-arrays.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { eraseQuarantine } from '../sync/quarantine.ts'
import { eraseFaults } from '../sync/reader-faults.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { buildSearchVector } from './search-terms.ts'

/** An item as it is written. */
export interface ItemRow {
  /** 32 hex digits: the hash of the IDR. */
  id: string
  endpoint: string
  nativeId: string
  at: number
  seq: number
  hash: Buffer
  types: number
  author: string | undefined
  participants: string[]
  guid: string[]
  lat: number | undefined
  lng: number | undefined
  words: string
  oembed: string
  data: string
  isNew: boolean
  /** Of the record, as UTF-8; before: of the one that it replaces. */
  bytes: number
  bytesBefore: number
}

export interface KnownItem {
  at: number
  /** Of the stored record, where the hash is another one; else 0. */
  bytes: number
  /** The hash is the one that was asked with. */
  isSame: boolean
  /** The record as it is stored, where the hash is another one under the same stamp. */
  data: string | undefined
}

const probe = statement(
  'item-probe',
  `select n.place::int as place, i.at, i.hash = n.hash as same,
     case when i.hash <> n.hash then octet_length(i.data::text) else 0 end as bytes,
     case when i.hash <> n.hash and substr(i.hash, 1, 4) = substr(n.hash, 1, 4) then i.data::text end as data
   from unnest($3::uuid[], $4::bytea[]) with ordinality as n (id, hash, place)
   join item i on i.shard = $1 and i.profile_id = $2 and i.id = n.id`,
)
/** What differs from item to item: how it comes, and how it is stored where that is something else. */
const WRITTEN = {
  id: 'uuid',
  native_id: 'text',
  at: 'bigint',
  seq: 'bigint',
  hash: 'bytea',
  types: 'integer',
  author: 'text',
  participants: 'text as text[]',
  guid: 'text as text[]',
  lat: 'double precision',
  lng: 'double precision',
  words: 'text as tsvector',
  oembed: 'text as json',
  data: 'text as json',
}
const KEPT = new Set(['id', 'native_id'])
const names = Object.keys(WRITTEN)
const comes = Object.values(WRITTEN).map((type, i) => `$${5 + i}::${type.split(' as ')[0]}[]`)
const stored = Object.entries(WRITTEN).map(([name, type]) => {
  const cast = type.split(' as ')[1]
  return cast === undefined ? `n.${name}` : `n.${name}::${cast}`
})
const sets = [...names, 'updated_at'].filter((name) => !KEPT.has(name)).map((name) => `${name} = excluded.${name}`)
// Counted by the same statement: one more for each page would cost more than the counting.
const upsert = statement(
  'item-upsert',
  `with written as (
     insert into item (shard, profile_id, endpoint, updated_at, ${names.join(', ')})
     select $1, $2, $3, $4, ${stored.join(', ')} from unnest(${comes.join(', ')}) as n (${names.join(', ')})
     on conflict (shard, profile_id, id) do update set ${sets.join(', ')} where excluded.seq > item.seq)
   update profile_sync set items = items + $${5 + names.length}, bytes = bytes + $${6 + names.length}
   where shard = $1 and profile_id = $2`,
)
/** Limit: rows of one statement that writes items; more go in several. */
const MAX_ROWS = 500
/** Limit: characters of one such statement, so that no page of huge records becomes one huge message. */
const MAX_CHARS = 8_000_000
const touch = statement(
  'item-touch',
  `update item i set hash = n.hash from unnest($3::uuid[], $4::bytea[]) as n (id, hash) where i.shard = $1 and i.profile_id = $2 and i.id = n.id`,
)
const idsSince = statement(
  'item-ids-since',
  `select replace(id::text, '-', '') as id from item where shard = $1 and profile_id = $2 and endpoint = $3 and at >= $4`,
)
const changedAt = statement(
  'item-changed-at',
  `select replace(id::text, '-', '') as id, max(at) as at from (
     select id, updated_at as at from item where shard = $1 and profile_id = $2 and id = any($3::uuid[])
     union all
     select id, deleted_at from item_tombstone where shard = $1 and profile_id = $2 and id = any($3::uuid[])) changed group by id`,
)
const remove = statement(
  'item-remove',
  `delete from item i using unnest($3::uuid[]) as gone (id) where i.shard = $1 and i.profile_id = $2 and i.id = gone.id
   returning replace(i.id::text, '-', '') as id, i.endpoint, i.native_id, octet_length(i.data::text) as bytes`,
)
const insertTombstones = statement(
  'item-bury',
  `insert into item_tombstone (shard, profile_id, seq, id, endpoint, native_id, deleted_at)
   select $1, $2, g.seq, g.id, g.endpoint, g.native_id, $3 from unnest($4::bigint[], $5::uuid[], $6::text[], $7::text[]) as g (seq, id, endpoint, native_id)`,
)
const uncount = statement(
  'item-uncount',
  'update profile_sync set items = items - $3, bytes = bytes - $4 where shard = $1 and profile_id = $2',
)
const eraseItems = statement('item-erase', 'delete from item where shard = $1 and profile_id = $2')
const eraseTombstones = statement('item-gone-erase', 'delete from item_tombstone where shard = $1 and profile_id = $2')

/** What is stored of these already: unchanged items then cost one look and no write. The first 4 bytes of a hash are its stamp. */
export async function probeItems(
  queries: Queries,
  key: ProfileKey,
  items: readonly { id: string; hash: Buffer }[],
): Promise<Map<string, KnownItem>> {
  if (items.length === 0) return new Map()
  const rows = await queries.rows<{ place: number; at: number; same: boolean; bytes: number; data: string | null }>(
    probe,
    [key.shard, key.profileId, uuidArray(items.map(({ id }) => id)), byteaArray(items.map(({ hash }) => hash))],
  )
  return new Map(
    rows.map(({ place, at, same, bytes, data }) => [
      items[place - 1]!.id,
      { at, isSame: same, bytes, data: data ?? undefined },
    ]),
  )
}

/** All of one endpoint, written at one time, and counted. */
export async function upsertItems(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  items: ItemRow[],
  nowMs: number,
): Promise<void> {
  for (const batch of inBatches(items)) {
    await tx.count(upsert, [
      key.shard,
      key.profileId,
      endpoint,
      nowMs,
      uuidArray(batch.map(({ id }) => id)),
      textArray(batch.map(({ nativeId }) => nativeId)),
      int8Array(batch.map(({ at }) => at)),
      int8Array(batch.map(({ seq }) => seq)),
      byteaArray(batch.map(({ hash }) => hash)),
      int4Array(batch.map(({ types }) => types)),
      textArray(batch.map(({ author }) => author)),
      textArray(batch.map(({ participants }) => arrayLiteral(participants))),
      textArray(batch.map(({ guid }) => arrayLiteral(guid))),
      float8Array(batch.map(({ lat }) => lat)),
      float8Array(batch.map(({ lng }) => lng)),
      textArray(batch.map((item) => buildSearchVector(key.profileId, item))),
      textArray(batch.map(({ oembed }) => oembed)),
      textArray(batch.map(({ data }) => data)),
      batch.filter(({ isNew }) => isNew).length,
      batch.reduce((sum, { bytes, bytesBefore }) => sum + bytes - bytesBefore, 0),
    ])
  }
}

function inBatches(items: ItemRow[]): ItemRow[][] {
  const batches: ItemRow[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const item of items) {
    chars += item.data.length
    const last = batches.at(-1)
    if (last !== undefined && last.length < MAX_ROWS && chars <= MAX_CHARS) last.push(item)
    else {
      batches.push([item])
      chars = item.data.length
    }
  }
  return batches
}

/** The same content under another spelling: remembered, without counting as a change. */
export async function rehashItems(tx: Queries, key: ProfileKey, items: { id: string; hash: Buffer }[]): Promise<void> {
  if (items.length > 0)
    await tx.count(touch, [key.shard, key.profileId, items.map(({ id }) => id), items.map(({ hash }) => hash)])
}

/** When these items were last written or removed, as far as they ever were. */
export async function itemsChangedAt(queries: Queries, key: ProfileKey, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await queries.rows<{ id: string; at: number }>(changedAt, [key.shard, key.profileId, ids])
  return new Map(rows.map(({ id, at }) => [id, at]))
}

export async function itemIdsSince(
  queries: Queries,
  key: ProfileKey,
  endpoint: string,
  atMs: number,
): Promise<string[]> {
  return (await queries.rows<{ id: string }>(idsSince, [key.shard, key.profileId, endpoint, atMs])).map(({ id }) => id)
}

/** Removes items and leaves a trace in the order of changes. Gives how many were there. */
export async function removeItems(
  tx: Queries,
  key: ProfileKey,
  ids: string[],
  firstSeq: number,
  nowMs: number,
): Promise<number> {
  if (ids.length === 0) return 0
  const deleted = await tx.rows<{ id: string; endpoint: string; native_id: string; bytes: number }>(remove, [
    key.shard,
    key.profileId,
    ids,
  ])
  if (deleted.length === 0) return 0
  await tx.count(insertTombstones, [
    key.shard,
    key.profileId,
    nowMs,
    deleted.map((_, i) => firstSeq + i),
    deleted.map(({ id }) => id),
    deleted.map(({ endpoint }) => endpoint),
    deleted.map(({ native_id }) => native_id),
  ])
  const bytes = deleted.reduce((sum, each) => sum + each.bytes, 0)
  await tx.count(uncount, [key.shard, key.profileId, deleted.length, bytes])
  return deleted.length
}

/** Everything of a profile, at once and for good. */
export async function eraseProfileItems(tx: Queries, key: ProfileKey): Promise<number> {
  await tx.count(eraseTombstones, [key.shard, key.profileId])
  await eraseQuarantine(tx, key)
  await eraseFaults(tx, key)
  return tx.count(eraseItems, [key.shard, key.profileId])
}
