import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

export const HOUR_MS = 3_600_000

/** Items that an app received in one hour. */
export interface ItemHour {
  appId: string
  /** Start of the hour. */
  hour: number
  added: number
  updated: number
}

const add = statement(
  'item-hour-add',
  `insert into item_hour (shard, app_id, hour, added, updated)
   select shard, app_id, $hour::bigint, $added::bigint, $updated::bigint from profile_sync
   where shard = $shard and profile_id = $profileId
   on conflict (shard, app_id, hour)
   do update set added = item_hour.added + excluded.added, updated = item_hour.updated + excluded.updated`,
)
const sumAll = statement(
  'item-hour-sums',
  `select app_id, hour, sum(added)::bigint as added, sum(updated)::bigint as updated
   from item_hour where hour >= $sinceMs group by app_id, hour`,
)
const purge = statement('item-hour-purge', deleteSome('item_hour', 'shard, app_id, hour', 'hour < $beforeMs'))

/**
 * Counts items in the transaction that stores them. Call it as the last statement: profiles of a shard share the row, and a
 * transaction that has it must not wait for another that waits for it.
 */
export async function countItemsOfHour(
  tx: Queries,
  { shard, profileId }: ProfileKey,
  { added, updated }: Pick<ItemHour, 'added' | 'updated'>,
  nowMs: number,
): Promise<void> {
  if (added + updated === 0) return
  await execute(tx, add.with({ shard, profileId, hour: nowMs - (nowMs % HOUR_MS), added, updated }))
}

/** The sums of every app from an hour on. */
export async function sumItemHours(queries: Queries, sinceMs: number): Promise<ItemHour[]> {
  const rows = await queries.rows<{ app_id: string; hour: number; added: number; updated: number }>(
    sumAll.with({ sinceMs }),
  )
  return rows.map(({ app_id, ...row }) => ({ appId: app_id, ...row }))
}

export function purgeItemHours(queries: Queries, beforeMs: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ beforeMs }))
}
