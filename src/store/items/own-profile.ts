import type { Account } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

// `merged_into` is the row's own id: like a merged profile it only keeps items and is in no list of profiles.
const insertProfile = statement(
  'own-profile-insert',
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at, merged_into)
   values ($shard, $profileId, $accountId, $appId, $service, $accountId, 'active', '{}', '{}', $nowMs, $profileId)`,
)
const insertSync = statement(
  'own-sync-insert',
  `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq)
   values ($shard, $profileId, $appId, $service, null, 0)`,
)
const find = statement(
  'own-profile-find',
  `select shard, id from profile
   where shard = any($shards) and account_id = $accountId and service = $service and native_id = $accountId`,
)
const advanceSeq = statement(
  'own-sync-number',
  'update profile_sync set seq = seq + $count where shard = $shard and profile_id = $profileId returning seq',
)

/** The profile that holds the items which the app itself stores for this account. */
export async function findOwnProfile(
  queries: Queries,
  account: Account,
  service: string,
): Promise<ProfileKey | undefined> {
  const values = { shards: account.shards, accountId: account.id, service }
  const [row] = await queries.rows<{ shard: number; id: string }>(find.with(values))
  return row && { shard: row.shard, profileId: row.id }
}

/** Call it while the account is locked. The profile is never due: its items come from no service. */
export async function insertOwnProfile(
  tx: Queries,
  account: Account,
  key: ProfileKey,
  service: string,
  nowMs: number,
): Promise<void> {
  const { id: accountId, appId } = account
  await tx.count(insertProfile.with({ ...key, accountId, appId, service, nowMs }))
  await tx.count(insertSync.with({ ...key, appId, service }))
}

/**
 * Locks the profile until the transaction ends and assigns `count` seqs. Returns the last; undefined when it was
 * deleted.
 */
export async function numberOwnChanges(tx: Queries, key: ProfileKey, count: number): Promise<number | undefined> {
  const [row] = await tx.rows<{ seq: number }>(advanceSeq.with({ ...key, count }))
  return row?.seq
}
