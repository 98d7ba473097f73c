import type { Account } from '#model/account.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

// What belongs to an app and is no account. Each statement takes so many rows, so that none of them holds much for long.
const BATCH = 5000

/** An account of an app, also one that only points to where it was merged. */
export interface AppAccount {
  shard: number
  id: string
  isMerged: boolean
}

const accounts = statement(
  'remains-accounts',
  'select shard, id, merged_into is not null as merged from account where app_id = $1 order by shard, id limit $2',
)
const dropTokens = statement('remains-tokens', 'delete from access_token where shard = $1 and account_id = $2')
const dropItems = statement(
  'remains-items',
  `delete from item where shard = $1 and profile_id = $2 and id in (select id from item where shard = $1 and profile_id = $2 limit ${BATCH})`,
)
const dropPending = statement('remains-pending', 'delete from pending where app_id = $1')
const dropConsents = statement('remains-consents', 'delete from consent where app_id = $1 and used_at is not null')
const dropUsers = statement('remains-users', 'delete from service_user where app_id = $1')
const dropNotices = statement('remains-notices', 'delete from quota_notice where app_id = $1')
const dropRateLimits = statement('remains-rate-limits', `delete from rate_limit where starts_with(bucket, $1 || ' ')`)
const dropCalls = statement(
  'remains-calls',
  `delete from call_log where app_id = $1 and (shard, id) in (select shard, id from call_log where app_id = $1 limit ${BATCH})`,
)
const dropHistory = statement(
  'remains-history',
  `delete from delivery where destination_id = $1 and (shard, id) in (select shard, id from delivery where destination_id = $1 limit ${BATCH})`,
)
// A destination that is disabled answered that it wants no more, ever.
const unconfirmed = statement(
  'remains-untold',
  `select count(distinct destination_id) as destinations, count(*) as waiting from (
     select c.destination_id from delivery_cursor c join destination d on d.id = c.destination_id where d.app_id = $1 and d.state <> 'disabled' and c.erase
     union all
     select e.destination_id from push_event e join destination d on d.id = e.destination_id where d.app_id = $1 and d.state <> 'disabled') open`,
)

export async function nextAccountsOf(queries: Queries, appId: string, most: number): Promise<AppAccount[]> {
  const rows = await queries.rows<{ shard: number; id: string; merged: boolean }>(accounts, [appId, most])
  return rows.map(({ shard, id, merged }) => ({ shard, id, isMerged: merged }))
}

export async function deleteTokens(tx: Queries, { shard, id }: Pick<Account, 'shard' | 'id'>): Promise<void> {
  await tx.count(dropTokens, [shard, id])
}

/** The many items of a profile, some at a time, before what is left goes with it in one transaction. */
export async function deleteItemsInBatches(queries: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  while ((await queries.count(dropItems, [shard, profileId])) === BATCH);
}

/** Everything of an app that is not an account, a destination or its own row. */
export async function deleteRemains(queries: Queries, appId: string): Promise<void> {
  await queries.count(dropPending, [appId])
  await queries.count(dropConsents, [appId])
  await queries.count(dropUsers, [appId])
  await queries.count(dropRateLimits, [appId])
  await queries.count(dropNotices, [appId])
  while ((await queries.count(dropCalls, [appId])) === BATCH);
}

export async function deleteDeliveryHistory(queries: Queries, destinationId: string): Promise<void> {
  while ((await queries.count(dropHistory, [destinationId])) === BATCH);
}

/** What destinations have not heard yet: of how many, and how much. */
export async function unconfirmedErasures(
  queries: Queries,
  appId: string,
): Promise<{ destinations: number; waiting: number }> {
  return firstOf(await queries.rows<{ destinations: number; waiting: number }>(unconfirmed, [appId]))
}
