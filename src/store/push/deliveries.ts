import { encodeNumber, newId } from '#platform/crypto/ids.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import { countInShards } from '../each-shard.ts'
import { FIRST_ITEM_ID, hexId } from '../keys/item-ids.ts'
import type { CursorKey } from './cursors.ts'

/** The record of one attempt to write a batch. */
export interface Delivery {
  id: string
  profileId: string
  at: number
  ms: number
  /** 1 for the first attempt to write these rows. */
  attempt: number
  rows: number
  firstSeq: number | undefined
  lastSeq: number | undefined
  ok: boolean
  error: string | undefined
  /** The age of the oldest change of the batch when it was written; undefined in records of an older release. */
  lagMs?: number | undefined
}

export interface DeadLetter {
  shard: number
  profileId: string
  itemId: string
  seq: number
  reason: string
  at: number
}

const insertDelivery = statement(
  'delivery-insert',
  `insert into delivery
     (shard, id, destination_id, profile_id, at, ms, attempt, rows, first_seq, last_seq, ok, error, lag_ms)
   values ($shard, $id, $destinationId, $profileId, $at, $ms, $attempt, $rows, $firstSeq, $lastSeq, $ok, $error, $lagMs)`,
)
const findDeliveries = statement(
  'delivery-list',
  `select id, profile_id, at, ms, attempt, rows, first_seq, last_seq, ok, error from delivery
   where destination_id = $destinationId and id < $beforeId order by id desc limit $limit`,
)
const summarizeSince = statement(
  'delivery-recent',
  `select coalesce(sum(rows) filter (where ok), 0)::bigint as rows, count(*) filter (where ok) as batches,
     count(*) filter (where not ok) as failed
   from delivery where destination_id = $destinationId and id > $afterId`,
)
const summarizeByTime = statement(
  'delivery-history',
  `select (at / $stepMs::bigint) * $stepMs::bigint as at, coalesce(sum(rows) filter (where ok), 0)::bigint as rows,
     count(*) filter (where ok) as batches, count(*) filter (where not ok) as failed,
     max(lag_ms) filter (where ok) as lag_ms
   from delivery where destination_id = $destinationId and id > $afterId group by 1 order by 1`,
)
const purge = statement('delivery-purge', deleteSome('delivery', 'shard, id', 'at < $beforeMs'))
const insertDeadLetter = statement(
  'dead-insert',
  `insert into dead_letter (shard, profile_id, destination_id, item_id, seq, reason, at)
   values ($shard, $profileId, $destinationId, $itemId::uuid, $seq, $reason, $nowMs)
   on conflict (shard, profile_id, destination_id, item_id)
   do update set seq = excluded.seq, reason = excluded.reason, at = excluded.at`,
)
const findDeadLetters = statement(
  'dead-list',
  `select shard, profile_id, ${hexId('item_id')} as item_id, seq, reason, at from dead_letter
   where destination_id = $destinationId order by at desc, item_id limit $limit`,
)
const countOfDestination = statement(
  'dead-count',
  // The count is the subquery: a sharded server refuses a subquery beside an aggregate of a divided table.
  `select (select count(*) from dead_letter where destination_id = $destinationId) as n, dead_dropped as dropped
   from destination where id = $destinationId`,
)
const countByReason = statement(
  'dead-reasons',
  `select reason, count(*) as n, count(distinct profile_id) as profiles, min(at) as first_at, max(at) as last_at
   from dead_letter where destination_id = $destinationId group by reason order by n desc, reason limit $limit`,
)
const removeSome = statement(
  'dead-remove',
  `delete from dead_letter
   where shard = $shard and profile_id = $profileId and destination_id = $destinationId
     and item_id = any($itemIds::uuid[])`,
)
const findOfProfile = statement(
  'dead-of-profile',
  `select ${hexId('item_id')} as item_id, seq from dead_letter
   where shard = $shard and profile_id = $profileId and destination_id = $destinationId and item_id > $afterId::uuid
   order by item_id limit $limit`,
)
const removeOfProfile = statement(
  'dead-forget',
  'delete from dead_letter where shard = $shard and profile_id = $profileId and destination_id = $destinationId',
)
const countByKind = statement(
  'dead-by-kind',
  'select d.kind, count(*) as n from dead_letter l join destination d on d.id = l.destination_id group by d.kind',
)
const findShardsOfDeadLetters = statement(
  'dead-shards',
  'select distinct shard from dead_letter where destination_id = $destinationId',
)
const removeDeadLetters = statement(
  'dead-drop',
  'delete from dead_letter where shard = $shard and destination_id = $destinationId',
)
const findShardsOfDeliveries = statement(
  'delivery-shards',
  'select distinct shard from delivery where destination_id = $destinationId',
)
const removeDeliveries = statement(
  'delivery-drop',
  'delete from delivery where shard = $shard and destination_id = $destinationId',
)

/** Above every delivery id. */
const LAST_ID = '~'

export async function recordDelivery(
  queries: Queries,
  { shard, profileId, destinationId }: CursorKey,
  { at, ms, attempt, rows, firstSeq, lastSeq, ok, error, lagMs }: Omit<Delivery, 'id' | 'profileId'>,
): Promise<void> {
  const written = {
    at,
    ms,
    attempt,
    rows,
    firstSeq: firstSeq ?? null,
    lastSeq: lastSeq ?? null,
    ok,
    error: error ?? null,
    lagMs: lagMs ?? null,
  }
  await queries.count(insertDelivery.with({ shard, profileId, destinationId, id: newId(at), ...written }))
}

/** Newest first; `before` is the last id of the previous page. */
export async function listDeliveries(
  queries: Queries,
  destinationId: string,
  before: string | undefined,
  limit: number,
): Promise<Delivery[]> {
  const rows = await queries.rows<{
    id: string
    profile_id: string
    at: number
    ms: number
    attempt: number
    rows: number
    first_seq: number | null
    last_seq: number | null
    ok: boolean
    error: string | null
  }>(findDeliveries.with({ destinationId, beforeId: before ?? LAST_ID, limit }))
  return rows.map((row) => ({
    id: row.id,
    profileId: row.profile_id,
    at: row.at,
    ms: row.ms,
    attempt: row.attempt,
    rows: row.rows,
    firstSeq: row.first_seq ?? undefined,
    lastSeq: row.last_seq ?? undefined,
    ok: row.ok,
    error: row.error ?? undefined,
  }))
}

export interface RecentDeliveries {
  rows: number
  batches: number
  failed: number
}

/** Delivered rows and batches, and failed attempts, since a time. Ids begin with their time. */
export async function deliveriesSince(
  queries: Queries,
  destinationId: string,
  sinceMs: number,
): Promise<RecentDeliveries> {
  const afterId = encodeNumber(sinceMs, 10)
  return firstOf(await queries.rows<RecentDeliveries>(summarizeSince.with({ destinationId, afterId })))
}

/** The deliveries of one period. */
export interface DeliveryPeriod extends RecentDeliveries {
  /** Its beginning. */
  at: number
  /** The greatest lag of a batch; null if nothing was delivered. */
  lag_ms: number | null
}

/** Deliveries since a time in periods of `stepMs`; periods without any are missing. */
export async function deliveryHistory(
  queries: Queries,
  destinationId: string,
  sinceMs: number,
  stepMs: number,
): Promise<DeliveryPeriod[]> {
  return queries.rows(summarizeByTime.with({ destinationId, afterId: encodeNumber(sinceMs, 10), stepMs }))
}

export function purgeDeliveries(queries: Queries, beforeMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ beforeMs }))
}

export async function addDeadLetter(
  queries: Queries,
  key: CursorKey,
  itemId: string,
  seq: number,
  reason: string,
  nowMs: number,
): Promise<void> {
  await queries.count(insertDeadLetter.with({ ...key, itemId, seq, reason, nowMs }))
}

export async function listDeadLetters(queries: Queries, destinationId: string, limit: number): Promise<DeadLetter[]> {
  const rows = await queries.rows<{
    shard: number
    profile_id: string
    item_id: string
    seq: number
    reason: string
    at: number
  }>(findDeadLetters.with({ destinationId, limit }))
  return rows.map((row) => ({
    shard: row.shard,
    profileId: row.profile_id,
    itemId: row.item_id,
    seq: row.seq,
    reason: row.reason,
    at: row.at,
  }))
}

/** How many there are, and how many were dropped because there were too many. */
export async function countDeadLetters(
  queries: Queries,
  destinationId: string,
): Promise<{ n: number; dropped: number }> {
  const [row] = await queries.rows<{ n: number; dropped: number }>(countOfDestination.with({ destinationId }))
  // A destination may be removed between two statements.
  return row ?? { n: 0, dropped: 0 }
}

export interface DeadLetterReason {
  reason: string
  n: number
  profiles: number
  first_at: number
  last_at: number
}

/** The dead letters of a destination by their reason, most first. */
export async function deadLetterReasons(
  queries: Queries,
  destinationId: string,
  limit: number,
): Promise<DeadLetterReason[]> {
  return queries.rows(countByReason.with({ destinationId, limit }))
}

/** The dead letters of one profile, one page. */
export async function deadLettersAfter(
  queries: Queries,
  key: CursorKey,
  after: string | undefined,
  limit: number,
): Promise<{ itemId: string; seq: number }[]> {
  const values = { ...key, afterId: after ?? FIRST_ITEM_ID, limit }
  const rows = await queries.rows<{ item_id: string; seq: number }>(findOfProfile.with(values))
  return rows.map((row) => ({ itemId: row.item_id, seq: row.seq }))
}

/** Removes all dead letters of a profile that was deleted. */
export async function forgetDeadLetters(tx: Queries, key: CursorKey): Promise<void> {
  await tx.count(removeOfProfile.with(key))
}

export async function deadLettersByKind(queries: Queries): Promise<{ kind: string; n: number }[]> {
  return queries.rows(countByKind)
}

/** Removes the dead letters of items that were delivered or deleted. */
export async function clearDeadLetters(queries: Queries, key: CursorKey, itemIds: string[]): Promise<void> {
  if (itemIds.length > 0) await queries.count(removeSome.with({ ...key, itemIds }))
}

/** Removes dead letters and records of all deliveries of a destination, shard by shard. */
export async function dropDeliveryRecords(queries: Queries, destinationId: string): Promise<void> {
  await dropDeadLetters(queries, destinationId)
  const shards = await queries.rows<{ shard: number }>(findShardsOfDeliveries.with({ destinationId }))
  await countInShards(
    queries,
    shards.map(({ shard }) => shard),
    (shard) => removeDeliveries.with({ shard, destinationId }),
  )
}

/** Shard by shard. Returns how many. */
export async function dropDeadLetters(queries: Queries, destinationId: string): Promise<number> {
  const shards = await queries.rows<{ shard: number }>(findShardsOfDeadLetters.with({ destinationId }))
  return countInShards(
    queries,
    shards.map(({ shard }) => shard),
    (shard) => removeDeadLetters.with({ shard, destinationId }),
  )
}
