import { type Queries, statement } from './database.ts'
import { markedVector } from './marks.ts'
import type { ProfileKey } from './sync-schedule.ts'

/** An item as it is written. */
export interface ItemRow {
  /** 32 hex digits: the hash of the IDR. */
  id: string
  endpoint: string
  nativeId: string
  at: number
  updatedAt: number
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
}

export interface KnownItem {
  hash: Buffer
  at: number
}

const probe = statement(
  'item-probe',
  `select replace(id::text, '-', '') as id, hash, at from item where part = $1 and profile_id = $2 and id = any($3::uuid[])`,
)
const dataOf = statement(
  'item-data',
  `select replace(id::text, '-', '') as id, data::text as data from item where part = $1 and profile_id = $2 and id = any($3::uuid[])`,
)
const WRITTEN = [
  'id',
  'native_id',
  'at',
  'updated_at',
  'seq',
  'hash',
  'types',
  'author',
  'participants',
  'guid',
  'lat',
  'lng',
  'words',
  'oembed',
  'data',
] as const
const KEPT = new Set<string>(['id', 'native_id'])
/** Rows of one statement; a statement of this size is prepared, the rest of a page is written as it comes. */
const BATCH = 50

// Each value on its own: packed into arrays, texts full of quotes cost more than the rows themselves.
function upsertText(count: number): string {
  const row = (at: number) => `($1, $2, $3, ${WRITTEN.map((_, i) => `$${4 + at * WRITTEN.length + i}`).join(', ')})`
  const sets = WRITTEN.filter((name) => !KEPT.has(name)).map((name) => `${name} = excluded.${name}`)
  return `insert into item (part, profile_id, endpoint, ${WRITTEN.join(', ')}) values ${Array.from({ length: count }, (_, at) => row(at)).join(', ')}
   on conflict (part, profile_id, id) do update set ${sets.join(', ')} where excluded.seq > item.seq`
}
const upsert = statement('item-upsert', upsertText(BATCH))
const touch = statement(
  'item-touch',
  `update item i set hash = n.hash from unnest($3::uuid[], $4::bytea[]) as n (id, hash) where i.part = $1 and i.profile_id = $2 and i.id = n.id`,
)
const idsSince = statement(
  'item-ids-since',
  `select replace(id::text, '-', '') as id from item where part = $1 and profile_id = $2 and endpoint = $3 and at >= $4`,
)
const remove = statement(
  'item-remove',
  `delete from item i using unnest($3::uuid[]) as gone (id) where i.part = $1 and i.profile_id = $2 and i.id = gone.id
   returning replace(i.id::text, '-', '') as id, i.endpoint, i.native_id`,
)
const bury = statement(
  'item-bury',
  `insert into item_gone (part, profile_id, seq, id, endpoint, native_id, gone_at)
   select $1, $2, g.seq, g.id, g.endpoint, g.native_id, $3 from unnest($4::bigint[], $5::uuid[], $6::text[], $7::text[]) as g (seq, id, endpoint, native_id)`,
)
const eraseItems = statement('item-erase', 'delete from item where part = $1 and profile_id = $2')
const eraseGone = statement('item-gone-erase', 'delete from item_gone where part = $1 and profile_id = $2')
const eraseQuarantine = statement('quarantine-erase', 'delete from quarantine where part = $1 and profile_id = $2')

/** What is stored of these already: unchanged items then cost one look and no write. */
export async function probeItems(queries: Queries, key: ProfileKey, ids: string[]): Promise<Map<string, KnownItem>> {
  const rows = await queries.rows<{ id: string; hash: Buffer; at: number }>(probe, [key.part, key.profileId, ids])
  return new Map(rows.map(({ id, hash, at }) => [id, { hash, at }]))
}

export async function itemData(queries: Queries, key: ProfileKey, ids: string[]): Promise<Map<string, string>> {
  const rows = await queries.rows<{ id: string; data: string }>(dataOf, [key.part, key.profileId, ids])
  return new Map(rows.map(({ id, data }) => [id, data]))
}

/** All of one endpoint. */
export async function upsertItems(tx: Queries, key: ProfileKey, endpoint: string, items: ItemRow[]): Promise<void> {
  for (let from = 0; from < items.length; from += BATCH) {
    const batch = items.slice(from, from + BATCH)
    const sql = batch.length === BATCH ? upsert : { name: '', text: upsertText(batch.length) }
    await tx.count(sql, [key.part, key.profileId, endpoint, ...batch.flatMap((item) => valuesOf(key, item))])
  }
}

// In the order of WRITTEN.
function valuesOf(key: ProfileKey, item: ItemRow): unknown[] {
  return [
    item.id,
    item.nativeId,
    item.at,
    item.updatedAt,
    item.seq,
    item.hash,
    item.types,
    item.author ?? null,
    item.participants,
    item.guid,
    item.lat ?? null,
    item.lng ?? null,
    markedVector(key.profileId, item),
    item.oembed,
    item.data,
  ]
}

/** The same content under another spelling: remembered, without counting as a change. */
export async function rehashItems(tx: Queries, key: ProfileKey, items: { id: string; hash: Buffer }[]): Promise<void> {
  if (items.length > 0)
    await tx.count(touch, [key.part, key.profileId, items.map(({ id }) => id), items.map(({ hash }) => hash)])
}

export async function itemIdsSince(
  queries: Queries,
  key: ProfileKey,
  endpoint: string,
  atMs: number,
): Promise<string[]> {
  return (await queries.rows<{ id: string }>(idsSince, [key.part, key.profileId, endpoint, atMs])).map(({ id }) => id)
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
  const gone = await tx.rows<{ id: string; endpoint: string; native_id: string }>(remove, [
    key.part,
    key.profileId,
    ids,
  ])
  if (gone.length === 0) return 0
  await tx.count(bury, [
    key.part,
    key.profileId,
    nowMs,
    gone.map((_, i) => firstSeq + i),
    gone.map(({ id }) => id),
    gone.map(({ endpoint }) => endpoint),
    gone.map(({ native_id }) => native_id),
  ])
  return gone.length
}

/** Everything of a profile, at once and for good. */
export async function eraseProfileItems(tx: Queries, key: ProfileKey): Promise<number> {
  await tx.count(eraseGone, [key.part, key.profileId])
  await tx.count(eraseQuarantine, [key.part, key.profileId])
  return tx.count(eraseItems, [key.part, key.profileId])
}
