import { newAccessToken } from '#model/access-token.ts'
import type { Account } from '#model/account.ts'
import { newShardId } from '#platform/ids.ts'
import { insertAccessToken } from '#store/identity/access-tokens.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import type { Store } from '../../src/boot/open-store.ts'

/** An account of an app, and a token that opens it. */
export interface Person {
  account: Account
  token: string
}

let shards = 0

/** Makes an account as a sign-in leaves it, without a service: each in a part of its own unless one is given. */
export async function newPerson(
  { database, hasher }: Pick<Store, 'database' | 'hasher'>,
  appId: string,
  shard = (shards +=
    1),
): Promise<Person> {
  const now = Date.now()
  const account: Account = { shard, id: newShardId(shard, now), appId, shards: [shard], createdAt: now }
  await insertAccount(database, account)
  const token = newAccessToken(shard, now)
  await insertAccessToken(database, account, hasher.hash('access_token', token), now)
  return { account, token }
}
