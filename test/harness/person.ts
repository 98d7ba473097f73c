import { newAccessToken } from '#model/accounts/access-token.ts'
import type { Account } from '#model/accounts/account.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import { insertAccessToken } from '#store/identity/access-tokens.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import type { Store } from '../../src/boot/open-store.ts'

/** An account of an app, with an access token. */
export interface Person {
  account: Account
  token: string
}

/** Every new account gets the next shard unless a test names one. */
let lastShard = 0

/** Creates an account as a sign-in does, without a service and without profiles. */
export async function newPerson(
  { database, hasher }: Pick<Store, 'database' | 'hasher'>,
  appId: string,
  shard = (lastShard +=
    1),
): Promise<Person> {
  const now = Date.now()
  const account: Account = { shard, id: newShardId(shard, now), appId, shards: [shard], createdAt: now }
  await insertAccount(database, account)
  const token = newAccessToken(shard, now)
  const hash = hasher.hash('access_token', token)
  await insertAccessToken(database, account, { hash, profileId: '', createdAt: now })
  return { account, token }
}
