import type { Account } from '#model/accounts/account.ts'
import { shardFor } from '#platform/crypto/ids.ts'
import { firstOf } from '#platform/formats/list-ends.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { deleteInBatches, deleteSome } from './delete-in-batches.ts'
import { dropDeletionRequests } from './identity/deletion-requests.ts'
import type { ProfileKey } from './keys/profile-key.ts'
import { removeAppSubscriptions } from './sync/hook-subscriptions.ts'
import { removeUploadsOfApp } from './sync/uploads.ts'

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
const deleteItems = statement('remains-items', deleteSome('item', 'seq', 'shard = $shard and profile_id = $profileId'))
const deletePending = statement('remains-pending', deleteSome('pending', 'shard, hash', 'app_id = $appId'))
const deleteUsedConsents = statement(
  'remains-consents',
  deleteSome('consent', 'shard, hash', 'app_id = $appId and used_at is not null'),
)
const deleteRevocations = statement(
  'remains-revocations',
  deleteSome('grant_revocation', 'shard, app_id, service, native_id, id', 'app_id = $appId'),
)
const deleteServiceUsers = statement(
  'remains-users',
  deleteSome('service_user', 'shard, app_id, service, native_id', 'app_id = $appId'),
)
const deleteReconnectLinks = statement('remains-links', deleteSome('reconnect_link', 'shard, hash', 'app_id = $appId'))
const deleteConnections = statement(
  'remains-connections',
  deleteSome('connections_session', 'shard, hash', 'app_id = $appId'),
)
const deleteSessions = statement('remains-sessions', deleteSome('connect_session', 'shard, id', 'app_id = $appId'))
const deleteApplied = statement('remains-applied', deleteSome('applied_token', 'shard, hash', 'app_id = $appId'))
const deleteKeys = statement('remains-idempotency', deleteSome('idempotency_key', 'hash', 'app_id = $appId'))
const deleteNotices = statement(
  'remains-notices',
  deleteSome('quota_notice', 'shard, subject, quota', 'app_id = $appId'),
)
const deleteSpending = statement('remains-spending', 'delete from spending where shard = $shard and app_id = $appId')
const deleteRateLimits = statement(
  'remains-rate-limits',
  deleteSome('rate_limit', 'bucket', `starts_with(bucket, $appId || ' ')`),
)
const deleteHours = statement('remains-hours', deleteSome('item_hour', 'shard, app_id, hour', 'app_id = $appId'))
const deleteCalls = statement('remains-calls', deleteSome('call_log', 'shard, id', 'app_id = $appId'))
const deleteOperations = statement('remains-operations', deleteSome('operation', 'shard, id', 'app_id = $appId'))
const deleteDeliveries = statement(
  'remains-history',
  deleteSome('delivery', 'shard, id', 'destination_id = $destinationId'),
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
  await deleteInBatches(queries, deleteItems.with({ shard, profileId }))
}

/** Deletes everything of an app except its accounts, its destinations and its own row. Can be repeated at any point. */
export async function deleteRemains(queries: Queries, appId: string): Promise<void> {
  const ofApp = [
    deletePending,
    deleteApplied,
    deleteUsedConsents,
    deleteServiceUsers,
    deleteRevocations,
    deleteRateLimits,
    deleteReconnectLinks,
    deleteConnections,
    deleteSessions,
    deleteNotices,
    deleteCalls,
    deleteOperations,
    deleteHours,
    deleteKeys,
  ]
  for (const some of ofApp) await deleteInBatches(queries, some.with({ appId }))
  await queries.count(deleteSpending.with({ shard: shardFor(appId), appId }))
  await removeAppSubscriptions(queries, appId)
  await removeUploadsOfApp(queries, appId)
  await dropDeletionRequests(queries, appId)
}

export async function deleteDeliveryHistory(queries: Queries, destinationId: string): Promise<void> {
  await deleteInBatches(queries, deleteDeliveries.with({ destinationId }))
}

/** Erasures and events that are not delivered yet, and the number of their destinations. */
export async function unconfirmedErasures(
  queries: Queries,
  appId: string,
): Promise<{ destinations: number; waiting: number }> {
  return firstOf(await queries.rows<{ destinations: number; waiting: number }>(countUnconfirmed.with({ appId })))
}
