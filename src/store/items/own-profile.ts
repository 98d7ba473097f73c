import type { Account } from '#model/accounts/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { rowsOfShards } from '../each-shard.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** A profile that holds items which the app itself stores for an account. */
export interface OwnProfile extends ProfileKey {
  /** The account that it was created for: its items keep their ids when a merge moves it into another. */
  owner: string
  items: number
}

// `merged_into` is the row's own id: like a merged profile it only keeps items and is in no list of profiles.
const insertProfile = statement(
  'own-profile-insert',
  `insert into profile (shard, id, account_id, app_id, service, native_id, state, self, data, connected_at, merged_into)
   values ($shard, $profileId, $accountId, $appId, $service, $accountId, 'active', '{}', '{}', $nowMs, $profileId)`,
)
const insertSync = statement(
  'own-sync-insert',
  `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq, reader_version)
   values ($shard, $profileId, $appId, $service, null, 0, $readerVersion)`,
)
const list = statement(
  'own-profile-list',
  `select p.shard, p.id, p.native_id, s.items from profile p
   join profile_sync s on s.shard = p.shard and s.profile_id = p.id
   where p.shard = $shard and p.account_id = $accountId and p.service = $service`,
)
const advanceSeq = statement(
  'own-sync-number',
  'update profile_sync set seq = seq + $count where shard = $shard and profile_id = $profileId returning seq',
)

/** The account's own comes first; those that merges moved into it follow. */
export async function listOwnProfiles(queries: Queries, account: Account, service: string): Promise<OwnProfile[]> {
  const { id: accountId, shards } = account
  const rows = await rowsOfShards<{ shard: number; id: string; native_id: string; items: number }>(
    queries,
    shards,
    (shard) => list.with({ shard, accountId, service }),
  )
  return rows
    .map(({ shard, id, native_id, items }) => ({ shard, profileId: id, owner: native_id, items }))
    .sort(
      (a, b) => Number(a.owner !== accountId) - Number(b.owner !== accountId) || (a.profileId < b.profileId ? -1 : 1),
    )
}

/** Call it while the account is locked. The profile is never due: its items come from no service. */
export async function insertOwnProfile(
  tx: Queries,
  account: Account,
  key: ProfileKey,
  { service, readerVersion }: { service: string; readerVersion: number },
  nowMs: number,
): Promise<OwnProfile> {
  const { id: accountId, appId } = account
  const { shard, profileId } = key
  await tx.count(insertProfile.with({ shard, profileId, accountId, appId, service, nowMs }))
  await tx.count(insertSync.with({ shard, profileId, appId, service, readerVersion }))
  return { shard, profileId, owner: accountId, items: 0 }
}

/** Locks the profile until the transaction ends and assigns `count` seqs. Returns the last. */
export async function numberOwnChanges(tx: Queries, { shard, profileId }: ProfileKey, count: number): Promise<number> {
  const [row] = await tx.rows<{ seq: number }>(advanceSeq.with({ shard, profileId, count }))
  if (row === undefined) throw new Error(`the profile ${profileId} of own items was deleted under the account's lock`)
  return row.seq
}
