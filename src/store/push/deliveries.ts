import { encodeNumber, newId } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { CursorKey } from './cursors.ts'

/** One try to write, as people see it. */
export interface Delivery {
  id: string
  profileId: string
  at: number
  ms: number
  /** 1 for the first try of these rows. */
  attempt: number
  rows: number
  firstSeq: number | undefined
  lastSeq: number | undefined
  ok: boolean
  error: string | undefined
}

export interface DeadLetter {
  shard: number
  profileId: string
  itemId: string
  seq: number
  reason: string
  at: number
}

const insert = statement(
  'delivery-insert',
  'insert into delivery (shard, id, destination_id, profile_id, at, ms, attempt, rows, first_seq, last_seq, ok, error) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
)
const list = statement(
  'delivery-list',
  `select id, profile_id, at, ms, attempt, rows, first_seq, last_seq, ok, error from delivery where destination_id = $1 and id < $2 order by id desc limit $3`,
)
const recent = statement(
  'delivery-recent',
  `select coalesce(sum(rows) filter (where ok), 0)::bigint as rows, count(*) filter (where ok) as batches, count(*) filter (where not ok) as failed
   from delivery where destination_id = $1 and id > $2`,
)
const purge = statement('delivery-purge', 'delete from delivery where at < $1')
const insertDeadLetter = statement(
  'dead-insert',
  `insert into dead_letter (shard, profile_id, destination_id, item_id, seq, reason, at) values ($1, $2, $3, $4::uuid, $5, $6, $7)
   on conflict (shard, profile_id, destination_id, item_id) do update set seq = excluded.seq, reason = excluded.reason, at = excluded.at`,
)
const dead = statement(
  'dead-list',
  `select shard, profile_id, replace(item_id::text, '-', '') as item_id, seq, reason, at from dead_letter where destination_id = $1 order by at desc, item_id limit $2`,
)
const countDead = statement('dead-count', 'select count(*) as n from dead_letter where destination_id = $1')
const removeDeadLetters = statement(
  'dead-remove',
  'delete from dead_letter where shard = $1 and profile_id = $2 and destination_id = $3 and item_id = any($4::uuid[])',
)
const deadOf = statement(
  'dead-of-profile',
  `select replace(item_id::text, '-', '') as item_id, seq from dead_letter
   where shard = $1 and profile_id = $2 and destination_id = $3 and item_id > $4::uuid order by item_id limit $5`,
)
const forgetDead = statement(
  'dead-forget',
  'delete from dead_letter where shard = $1 and profile_id = $2 and destination_id = $3',
)
const orphans = statement(
  'dead-orphans',
  'delete from dead_letter l where not exists (select 1 from destination d where d.id = l.destination_id)',
)
const deadByKind = statement(
  'dead-by-kind',
  'select d.kind, count(*) as n from dead_letter l join destination d on d.id = l.destination_id group by d.kind',
)
const dropDead = statement('dead-drop', 'delete from dead_letter where destination_id = $1')
const dropDeliveries = statement('delivery-drop', 'delete from delivery where destination_id = $1')

export async function recordDelivery(
  queries: Queries,
  key: CursorKey,
  delivery: Omit<Delivery, 'id' | 'profileId'>,
): Promise<void> {
  const { at, ms, attempt, rows, firstSeq, lastSeq, ok, error } = delivery
  await queries.count(insert, [
    key.shard,
    newId(at),
    key.destinationId,
    key.profileId,
    at,
    ms,
    attempt,
    rows,
    firstSeq ?? null,
    lastSeq ?? null,
    ok,
    error ?? null,
  ])
}

/** Newest first; `before` is the id of the last one seen. */
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
  }>(list, [destinationId, before ?? '~', limit])
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

/** What got there since a time, and how many tries did not: ids begin with their time. */
export async function deliveriesSince(
  queries: Queries,
  destinationId: string,
  sinceMs: number,
): Promise<RecentDeliveries> {
  return firstOf(await queries.rows<RecentDeliveries>(recent, [destinationId, encodeNumber(sinceMs, 10)]))
}

export async function purgeDeliveries(queries: Queries, before: number): Promise<number> {
  return queries.count(purge, [before])
}

export async function addDeadLetter(
  queries: Queries,
  key: CursorKey,
  itemId: string,
  seq: number,
  reason: string,
  nowMs: number,
): Promise<void> {
  await queries.count(insertDeadLetter, [key.shard, key.profileId, key.destinationId, itemId, seq, reason, nowMs])
}

export async function listDeadLetters(queries: Queries, destinationId: string, limit: number): Promise<DeadLetter[]> {
  const rows = await queries.rows<{
    shard: number
    profile_id: string
    item_id: string
    seq: number
    reason: string
    at: number
  }>(dead, [destinationId, limit])
  return rows.map((row) => ({
    shard: row.shard,
    profileId: row.profile_id,
    itemId: row.item_id,
    seq: row.seq,
    reason: row.reason,
    at: row.at,
  }))
}

export async function countDeadLetters(queries: Queries, destinationId: string): Promise<number> {
  const [row] = await queries.rows<{ n: number }>(countDead, [destinationId])
  return row?.n ?? 0
}

const FIRST_ID = '00000000000000000000000000000000'

/** Rows of one profile that were set aside, a page at a time. */
export async function deadLettersAfter(
  queries: Queries,
  key: CursorKey,
  after: string | undefined,
  limit: number,
): Promise<{ itemId: string; seq: number }[]> {
  const args = [key.shard, key.profileId, key.destinationId, after ?? FIRST_ID, limit]
  const rows = await queries.rows<{ item_id: string; seq: number }>(deadOf, args)
  return rows.map((row) => ({ itemId: row.item_id, seq: row.seq }))
}

/** The profile is gone, and with it what could still be delivered of it. */
export async function forgetDeadLetters(tx: Queries, key: CursorKey): Promise<void> {
  await tx.count(forgetDead, [key.shard, key.profileId, key.destinationId])
}

export async function purgeOrphanDeadLetters(queries: Queries): Promise<number> {
  return queries.count(orphans)
}

export async function deadLettersByKind(queries: Queries): Promise<{ kind: string; n: number }[]> {
  return queries.rows(deadByKind)
}

/** These got through after all. */
export async function clearDeadLetters(queries: Queries, key: CursorKey, itemIds: string[]): Promise<void> {
  if (itemIds.length > 0) await queries.count(removeDeadLetters, [key.shard, key.profileId, key.destinationId, itemIds])
}

export async function dropDeliveryRecords(tx: Queries, destinationId: string): Promise<void> {
  await tx.count(dropDead, [destinationId])
  await tx.count(dropDeliveries, [destinationId])
}
