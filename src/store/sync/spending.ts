import type { Micros } from '#model/apps/money.ts'
import { shardFor } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'

/** The spending of one app at one service in one month. */
export interface SpendingKey {
  appId: string
  service: string
  /** Such as `2026-11`. */
  month: string
}

export interface Spending {
  service: string
  month: string
  currency: string
  spent: Micros
  reachedAt: number | undefined
  unpaidSince: number | undefined
  unpaidUntil: number | undefined
}

interface Row {
  app_id: string
  service: string
  month: string
  currency: string
  spent: number
  reached_at: number | null
  unpaid_since: number | null
  unpaid_until: number | null
}

const columns = 'app_id, service, month, currency, spent, reached_at, unpaid_since, unpaid_until'
const isRow = 'shard = $shard and app_id = $appId and service = $service and month = $month'
const rowKey = '(shard, app_id, service, month)'
const find = statement('spending-find', `select ${columns} from spending where ${isRow}`)
const list = statement(
  'spending-list',
  `select ${columns} from spending where shard = $shard and app_id = $appId and month = $month order by service`,
)
/** Limit: rows of spending in the metrics; further apps are left out. */
const MAX_ROWS_IN_METRICS = 200
const listAll = statement(
  'spending-all',
  `select ${columns} from spending where month = $month order by app_id, service limit ${MAX_ROWS_IN_METRICS}`,
)
// One statement, so that calls of many processes together never exceed the limit.
const reserve = statement(
  'spending-reserve',
  `insert into spending (shard, app_id, service, month, currency, spent)
   values ($shard, $appId, $service, $month, $currency, $cost::bigint)
   on conflict ${rowKey} do update set spent = spending.spent + excluded.spent
   where spending.spent + excluded.spent <= $limit::bigint`,
)
const settle = statement(
  'spending-settle',
  `update spending set spent = spent - $unused::bigint,
     unpaid_since = case when $isPaid then null else unpaid_since end,
     unpaid_until = case when $isPaid then null else unpaid_until end
   where ${isRow}`,
)
const markReached = statement(
  'spending-reached',
  `insert into spending (shard, app_id, service, month, currency, spent, reached_at)
   values ($shard, $appId, $service, $month, $currency, 0, $nowMs)
   on conflict ${rowKey} do update set reached_at = excluded.reached_at where spending.reached_at is null`,
)
const markUnpaid = statement(
  'spending-unpaid',
  `update spending set unpaid_since = coalesce(unpaid_since, $nowMs), unpaid_until = $untilMs
   where ${isRow} returning unpaid_since = $nowMs as is_new`,
)
const forgetStops = statement(
  'spending-forget-stops',
  `update spending set reached_at = null, unpaid_since = null, unpaid_until = null
   where shard = $shard and app_id = $appId and month = $month`,
)
const purge = statement('spending-purge', 'delete from spending where month < $beforeMonth')

export async function findSpending(queries: Queries, key: SpendingKey): Promise<Spending | undefined> {
  const [row] = await queries.rows<Row>(find.with(withShard(key)))
  return row && toSpending(row)
}

/** What an app has spent in a month, by service. */
export async function listSpending(queries: Queries, appId: string, month: string): Promise<Spending[]> {
  return (await queries.rows<Row>(list.with({ shard: shardFor(appId), appId, month }))).map(toSpending)
}

/** The spending of all apps in a month. */
export async function listAllSpending(queries: Queries, month: string): Promise<(Spending & { appId: string })[]> {
  const rows = await queries.rows<Row>(listAll.with({ month }))
  return rows.map((row) => ({ ...toSpending(row), appId: row.app_id }))
}

/** Counts a cost before it arises. False, and nothing counted, where the limit does not allow it. */
export async function reserveSpending(
  queries: Queries,
  key: SpendingKey,
  { currency, cost, limit }: { currency: string; cost: Micros; limit: Micros },
): Promise<boolean> {
  if (cost > limit) return false
  return (await queries.count(reserve.with({ ...withShard(key), currency, cost, limit }))) > 0
}

/** Corrects a reserved cost. `isPaid`: the service has responded as to one who pays. */
export async function settleSpending(
  queries: Queries,
  key: SpendingKey,
  unused: Micros,
  { isPaid }: { isPaid: boolean },
): Promise<void> {
  await queries.count(settle.with({ ...withShard(key), unused, isPaid }))
}

/** True the first time in a month, and after the app changed its limit. */
export async function markLimitReached(
  tx: Queries,
  key: SpendingKey,
  currency: string,
  nowMs: number,
): Promise<boolean> {
  return (await tx.count(markReached.with({ ...withShard(key), currency, nowMs }))) > 0
}

/** True when the service has not refused for want of money before. */
export async function markServiceUnpaid(
  tx: Queries,
  key: SpendingKey,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<boolean> {
  const [row] = await tx.rows<{ is_new: boolean }>(markUnpaid.with({ ...withShard(key), nowMs, untilMs }))
  return row?.is_new === true
}

/** After an app changed its rules: what stopped its priced endpoints is looked at again. */
export async function forgetSpendingStops(tx: Queries, appId: string, month: string): Promise<void> {
  await tx.count(forgetStops.with({ shard: shardFor(appId), appId, month }))
}

export async function purgeSpending(queries: Queries, beforeMonth: string): Promise<number> {
  return queries.count(purge.with({ beforeMonth }))
}

function withShard(key: SpendingKey) {
  return { ...key, shard: shardFor(key.appId) }
}

function toSpending(row: Row): Spending {
  return {
    service: row.service,
    month: row.month,
    currency: row.currency,
    spent: row.spent,
    reachedAt: row.reached_at ?? undefined,
    unpaidSince: row.unpaid_since ?? undefined,
    unpaidUntil: row.unpaid_until ?? undefined,
  }
}
