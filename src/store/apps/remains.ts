import type { Account } from '#model/account.ts'
import { shardFor } from '#platform/ids.ts'
import { firstOf } from '#platform/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { dropDeletionRequests } from '../identity/deletion-requests.ts'
import { removeAppSubscriptions } from '../sync/hook-subscriptions.ts'
import type { ProfileKey } from '../sync/schedule.ts'

// Rows per statement, so that no statement locks many rows for long.
const BATCH = 5000

/** An account of an app, also one that was merged into another. */
export interface AppAccount {
  shard: number
  id: string
  isMerged: boolean
}

const listAccounts = statement(
  'remains-accounts',
  `select shard, id, merged_into is not null as merged from account where app_id = $appId
   order by shard, id limit $limit`,
)
const deleteTokensOf = statement(
  'remains-tokens',
  'delete from access_token where shard = $shard and account_id = $accountId',
)
const deleteSomeItems = statement(
  'remains-items',
  `delete from item where shard = $shard and profile_id = $profileId
     and id in (select id from item where shard = $shard and profile_id = $profileId limit ${BATCH})`,
)
const deletePending = statement('remains-pending', 'delete from pending where app_id = $appId')
const deleteUsedConsents = statement(
  'remains-consents',
  'delete from consent where app_id = $appId and used_at is not null',
)
const deleteRevocations = statement('remains-revocations', 'delete from grant_revocation where app_id = $appId')
const deleteServiceUsers = statement('remains-users', 'delete from service_user where app_id = $appId')
const deleteReconnectLinks = statement('remains-links', 'delete from reconnect_link where app_id = $appId')
const deleteApplied = statement('remains-applied', 'delete from applied_token where app_id = $appId')
const deleteNotices = statement('remains-notices', 'delete from quota_notice where app_id = $appId')
const deleteSpending = statement('remains-spending', 'delete from spending where shard = $shard and app_id = $appId')
const deleteRateLimits = statement(
  'remains-rate-limits',
  `delete from rate_limit where starts_with(bucket, $appId || ' ')`,
)
const deleteSomeCalls = statement(
  'remains-calls',
  `delete from call_log where app_id = $appId
     and (shard, id) in (select shard, id from call_log where app_id = $appId limit ${BATCH})`,
)
const deleteSomeDeliveries = statement(
  'remains-history',
  `delete from delivery where destination_id = $destinationId
     and (shard, id) in (select shard, id from delivery where destination_id = $destinationId limit ${BATCH})`,
)
// Disabled destinations do not count: they have refused all further deliveries.
const countUnconfirmed = statement(
  'remains-unconfirmed',
  `select count(distinct destination_id) as destinations, count(*) as waiting from (
     select c.destination_id from delivery_cursor c join destination d on d.id = c.destination_id
     where d.app_id = $appId and d.state <> 'disabled' and c.erase
     union all
     select e.destination_id from push_event e join destination d on d.id = e.destination_id
     where d.app_id = $appId and d.state <> 'disabled') open`,
)

export async function nextAccountsOf(queries: Queries, appId: string, limit: number): Promise<AppAccount[]> {
  const rows = await queries.rows<{ shard: number; id: string; merged: boolean }>(listAccounts.with({ appId, limit }))
  return rows.map(({ shard, id, merged }) => ({ shard, id, isMerged: merged }))
}

export async function deleteTokens(tx: Queries, { shard, id }: Pick<Account, 'shard' | 'id'>): Promise<void> {
  await tx.count(deleteTokensOf.with({ shard, accountId: id }))
}

/** Deletes the items of a profile in batches, so that the transaction that deletes the profile itself is short. */
export async function deleteItemsInBatches(queries: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  while ((await queries.count(deleteSomeItems.with({ shard, profileId }))) === BATCH);
}

/** Deletes everything of an app except its accounts, its destinations and its own row. */
export async function deleteRemains(queries: Queries, appId: string): Promise<void> {
  await queries.count(deletePending.with({ appId }))
  await queries.count(deleteApplied.with({ appId }))
  await queries.count(deleteUsedConsents.with({ appId }))
  await queries.count(deleteServiceUsers.with({ appId }))
  await queries.count(deleteRevocations.with({ appId }))
  await queries.count(deleteRateLimits.with({ appId }))
  await queries.count(deleteReconnectLinks.with({ appId }))
  await queries.count(deleteNotices.with({ appId }))
  await queries.count(deleteSpending.with({ shard: shardFor(appId), appId }))
  await removeAppSubscriptions(queries, appId)
  await dropDeletionRequests(queries, appId)
  while ((await queries.count(deleteSomeCalls.with({ appId }))) === BATCH);
}

export async function deleteDeliveryHistory(queries: Queries, destinationId: string): Promise<void> {
  while ((await queries.count(deleteSomeDeliveries.with({ destinationId }))) === BATCH);
}

/** Erasures and events that are not delivered yet, and the number of their destinations. */
export async function unconfirmedErasures(
  queries: Queries,
  appId: string,
): Promise<{ destinations: number; waiting: number }> {
  return firstOf(await queries.rows<{ destinations: number; waiting: number }>(countUnconfirmed.with({ appId })))
}
