import { newPartId } from '#base/ids.ts'
import type { Account } from '#model/account.ts'
import type { Queries } from '#store/database.ts'
import { insertProfile } from '#store/profiles.ts'

/** Makes a profile as a sign-in leaves it, without a credential; gives its id. */
export async function newProfile(
  database: Queries,
  account: Pick<Account, 'part' | 'id' | 'appId'>,
  { service, nativeId, now = Date.now() }: { service: string; nativeId: string; now?: number },
): Promise<string> {
  const id = newPartId(account.part, now)
  await insertProfile(database, {
    part: account.part,
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
    syncedAt: undefined,
  })
  return id
}
