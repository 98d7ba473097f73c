import type { Account } from '#model/accounts/account.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { insertProfile } from '#store/identity/profiles.ts'

/** Creates a profile as a sign-in does, but without a credential; returns its id. */
export async function newProfile(
  database: Queries,
  account: Pick<Account, 'shard' | 'id' | 'appId'>,
  { service, nativeId, now = Date.now() }: { service: string; nativeId: string; now?: number },
): Promise<string> {
  const id = newShardId(account.shard, now)
  await insertProfile(database, {
    shard: account.shard,
    id,
    accountId: account.id,
    appId: account.appId,
    service,
    nativeId,
    state: 'active',
    pausedAt: undefined,
    stateUntil: undefined,
    error: undefined,
    scope: undefined,
    person: {},
    data: '{}',
    connectedAt: now,
    updatedAt: now,
    syncedAt: undefined,
  })
  return id
}
