import {
  arrayLiteral,
  byteaArray,
  float8Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '#platform/postgres/binary-arrays.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { eraseCheckpoints } from '../sync/child-checkpoints.ts'
import { eraseQuarantine } from '../sync/quarantine.ts'
import { eraseFaults } from '../sync/reader-faults.ts'
import { eraseChildItems } from './child-items.ts'
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
  /** The cards of its other types; undefined: it has none. */
  cards: string | undefined
  data: string
  isNew: boolean
  /** Size of the record as UTF-8, and of the stored record that it replaces. */
  bytes: number
  bytesBefore: number
}

export interface KnownItem {
  at: number
  /** Size of the stored record where the hash differs, otherwise 0. */
  bytes: number
  /** The stored hash is equal. */
  isSame: boolean
  /** The stored record where the hash differs but its stamp is equal. */
  data: string | undefined
}

const probe = statement(
  'item-probe',
  `select n.position::int as position, i.at,
     i.hash = n.hash or $ignoreVersion and substr(i.hash, 3) = substr(n.hash, 3) as same,
     case when i.hash <> n.hash then octet_length(i.data::text) else 0 end as bytes,
     case when i.hash <> n.hash and substr(i.hash, 1, 4) = substr(n.hash, 1, 4) then i.data::text end as data
   from unnest($ids::uuid[], $hashes::bytea[]) with ordinality as n (id, hash, position)
   join item i on i.shard = $shard and i.profile_id = $profileId and i.id = n.id`,
)
const itemColumns =
  'id, native_id, at, seq, hash, types, author, participants, guid, lat, lng, words, oembed, cards, data'
// Also updates the counts of the profile: a second statement for each page would cost more than the counting.
const upsert = statement(
  'item-upsert',
  `with written as (
     insert into item (shard, profile_id, endpoint, updated_at, ${itemColumns})
     select $shard, $profileId, $endpoint, $nowMs, n.id, n.native_id, n.at, n.seq, n.hash, n.types, n.author,
       n.participants::text[], n.guid::text[], n.lat, n.lng, n.words::tsvector, n.oembed::json, n.cards::json,
       n.data::json
     from unnest(
       $ids::uuid[], $nativeIds::text[], $ats::bigint[], $seqs::bigint[], $hashes::bytea[], $types::integer[],
       $authors::text[], $participants::text[], $guids::text[], $lats::double precision[], $lngs::double precision[],
       $words::text[], $oembeds::text[], $cards::text[], $records::text[]
     ) as n (${itemColumns})
     on conflict (shard, profile_id, id) do update set at = excluded.at, seq = excluded.seq, hash = excluded.hash,
       types = excluded.types, author = excluded.author, participants = excluded.participants, guid = excluded.guid,
       lat = excluded.lat, lng = excluded.lng, words = excluded.words, oembed = excluded.oembed, cards = excluded.cards,
       data = excluded.data, updated_at = excluded.updated_at
     where excluded.seq > item.seq)
   update profile_sync set items = items + $addedItems, bytes = bytes + $addedBytes
   where shard = $shard and profile_id = $profileId`,
)
/** Limit: rows of one statement that writes items; more go in several. */
const MAX_ROWS = 500
/** Limit: characters of one such statement, so that no page of huge records becomes one huge message. */
const MAX_CHARS = 8_000_000
const updateHashes = statement(
  'item-update-hashes',
  `update item i set hash = n.hash from unnest($ids::uuid[], $hashes::bytea[]) as n (id, hash)
   where i.shard = $shard and i.profile_id = $profileId and i.id = n.id`,
)
const findIdsSince = statement(
  'item-ids-since',
  `select ${hexId('id')} as id from item
   where shard = $shard and profile_id = $profileId and endpoint = $endpoint and at >= $sinceMs`,
)
const findChangeTimes = statement(
  'item-changed-at',
  `select ${hexId('id')} as id, max(at) as at from (
     select id, updated_at as at from item
     where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])
     union all
     select id, deleted_at from item_tombstone
     where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])) changed
   group by id`,
)
const remove = statement(
  'item-remove',
  `delete from item i using unnest($ids::uuid[]) as removed (id)
   where i.shard = $shard and i.profile_id = $profileId and i.id = removed.id
   returning ${hexId('i.id')} as id, i.endpoint, i.native_id, octet_length(i.data::text) as bytes`,
)
const insertTombstones = statement(
  'item-tombstone-insert',
  `insert into item_tombstone (shard, profile_id, seq, id, endpoint, native_id, deleted_at)
   select $shard, $profileId, t.seq, t.id, t.endpoint, t.native_id, $nowMs
   from unnest($seqs::bigint[], $ids::uuid[], $endpoints::text[], $nativeIds::text[])
     as t (seq, id, endpoint, native_id)`,
)
const subtractCounts = statement(
  'item-subtract-counts',
  `update profile_sync set items = items - $removedItems, bytes = bytes - $removedBytes
   where shard = $shard and profile_id = $profileId`,
)
const eraseItems = statement('item-erase', 'delete from item where shard = $shard and profile_id = $profileId')
const eraseTombstones = statement(
  'item-tombstone-erase',
  'delete from item_tombstone where shard = $shard and profile_id = $profileId',
)

/** In the order of the columns of `probe`. */
type ProbeRow = [
  /** From 1, in the list of probed items. */
  position: number,
  at: number,
  same: boolean,
  bytes: number,
  data: string | null,
]

/**
 * What is already stored of these items, so that an unchanged one costs no write. The first 4 bytes of a hash are its
 * stamp: the version of its reader and the epoch, 2 bytes each. With `ignoreVersion` an item is the same also when
 * another version read it.
 */
export async function probeItems(
  queries: Queries,
  key: ProfileKey,
  items: readonly { id: string; hash: Buffer }[],
  ignoreVersion = false,
): Promise<Map<string, KnownItem>> {
  if (items.length === 0) return new Map()
  const ids = uuidArray(items.map(({ id }) => id))
  const hashes = byteaArray(items.map(({ hash }) => hash))
  const rows = await queries.rows<ProbeRow>({ ...probe.with({ ...key, ids, hashes, ignoreVersion }), tuples: true })
  return new Map(
    rows.map(([position, at, same, bytes, data]) => [
      items[position - 1]!.id,
      { at, isSame: same, bytes, data: data ?? undefined },
    ]),
  )
}

/** Writes items of one endpoint and adds them to the counts of the profile. */
export async function upsertItems(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  items: ItemRow[],
  nowMs: number,
): Promise<void> {
  for (const batch of inBatches(items)) {
    await execute(
      tx,
      upsert.with({
        ...key,
        endpoint,
        nowMs,
        ids: uuidArray(batch.map(({ id }) => id)),
        nativeIds: textArray(batch.map(({ nativeId }) => nativeId)),
        ats: int8Array(batch.map(({ at }) => at)),
        seqs: int8Array(batch.map(({ seq }) => seq)),
        hashes: byteaArray(batch.map(({ hash }) => hash)),
        types: int4Array(batch.map(({ types }) => types)),
        authors: textArray(batch.map(({ author }) => author)),
        participants: textArray(batch.map(({ participants }) => arrayLiteral(participants))),
        guids: textArray(batch.map(({ guid }) => arrayLiteral(guid))),
        lats: float8Array(batch.map(({ lat }) => lat)),
        lngs: float8Array(batch.map(({ lng }) => lng)),
        words: textArray(batch.map((item) => buildSearchVector(key.profileId, item))),
        oembeds: textArray(batch.map(({ oembed }) => oembed)),
        cards: textArray(batch.map(({ cards }) => cards)),
        records: textArray(batch.map(({ data }) => data)),
        addedItems: batch.filter(({ isNew }) => isNew).length,
        addedBytes: batch.reduce((sum, { bytes, bytesBefore }) => sum + bytes - bytesBefore, 0),
      }),
    )
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

/** Stores new hashes of reserialized records: their content is equal, so this is not a change. */
export async function rehashItems(tx: Queries, key: ProfileKey, items: { id: string; hash: Buffer }[]): Promise<void> {
  if (items.length === 0) return
  const [ids, hashes] = [items.map(({ id }) => id), items.map(({ hash }) => hash)]
  await execute(tx, updateHashes.with({ ...key, ids, hashes }))
}

/** When these items were last written or removed; items that never existed are missing. */
export async function itemsChangedAt(queries: Queries, key: ProfileKey, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await queries.rows<{ id: string; at: number }>(findChangeTimes.with({ ...key, ids }))
  return new Map(rows.map(({ id, at }) => [id, at]))
}

export async function itemIdsSince(
  queries: Queries,
  key: ProfileKey,
  endpoint: string,
  sinceMs: number,
): Promise<string[]> {
  const rows = await queries.rows<{ id: string }>(findIdsSince.with({ ...key, endpoint, sinceMs }))
  return rows.map(({ id }) => id)
}

/** Removes items and inserts their tombstones. Returns how many items existed. */
export async function removeItems(
  tx: Queries,
  key: ProfileKey,
  ids: string[],
  firstSeq: number,
  nowMs: number,
): Promise<number> {
  if (ids.length === 0) return 0
  const removed = await tx.rows<{ id: string; endpoint: string; native_id: string; bytes: number }>(
    remove.with({ ...key, ids }),
  )
  if (removed.length === 0) return 0
  await execute(
    tx,
    insertTombstones.with({
      ...key,
      nowMs,
      seqs: removed.map((_, i) => firstSeq + i),
      ids: removed.map(({ id }) => id),
      endpoints: removed.map(({ endpoint }) => endpoint),
      nativeIds: removed.map(({ native_id }) => native_id),
    }),
  )
  const removedBytes = removed.reduce((sum, { bytes }) => sum + bytes, 0)
  await execute(tx, subtractCounts.with({ ...key, removedItems: removed.length, removedBytes }))
  return removed.length
}

/** Deletes everything that is stored of a profile. */
export async function eraseProfileItems(tx: Queries, { shard, profileId }: ProfileKey): Promise<number> {
  const key = { shard, profileId }
  await tx.count(eraseTombstones.with(key))
  await eraseQuarantine(tx, key)
  await eraseFaults(tx, key)
  await eraseCheckpoints(tx, key)
  await eraseChildItems(tx, key)
  return tx.count(eraseItems.with(key))
}
