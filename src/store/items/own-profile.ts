import type { Account } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

// `merged_into` names the row itself: like a folded profile it only keeps items, and no list of profiles shows it.
const insertProfile = statement(
  'own-profile-insert',
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at, merged_into)
   values ($1, $2, $3, $4, $5, $3, 'active', '{}', '{}', $6, $2)`,
)
const insertSync = statement(
  'own-sync-insert',
  'insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq) values ($1, $2, $3, $4, null, 0)',
)
const find = statement(
  'own-profile-find',
  'select shard, id from profile where shard = any($1) and account_id = $2 and service = $3 and native_id = $2',
)
const number = statement(
  'own-sync-number',
  'update profile_sync set seq = seq + $3 where shard = $1 and profile_id = $2 returning seq',
)

/** The profile that keeps what an app stores of its own for this account. */
export async function findOwnProfile(
  queries: Queries,
  account: Account,
  service: string,
): Promise<ProfileKey | undefined> {
  const [row] = await queries.rows<{ shard: number; id: string }>(find, [account.shards, account.id, service])
  return row && { shard: row.shard, profileId: row.id }
}

/** Inside the lock of the account. It is never due: nobody has to be asked for its items. */
export async function insertOwnProfile(
  tx: Queries,
  account: Account,
  key: ProfileKey,
  service: string,
  nowMs: number,
): Promise<void> {
  await tx.count(insertProfile, [key.shard, key.profileId, account.id, account.appId, service, nowMs])
  await tx.count(insertSync, [key.shard, key.profileId, account.appId, service])
}

/** Holds the profile until the transaction ends and hands out `count` numbers; gives the last. Undefined when it is gone. */
export async function numberOwnChanges(tx: Queries, key: ProfileKey, count: number): Promise<number | undefined> {
  const [row] = await tx.rows<{ seq: number }>(number, [key.shard, key.profileId, count])
  return row?.seq
}
