import { newPartId } from '#base/ids.ts'
import { newAccessToken } from '#model/access-token.ts'
import type { Account } from '#model/account.ts'
import { insertAccessToken } from '#store/access-tokens.ts'
import { insertAccount } from '#store/accounts.ts'
import type { Store } from '../../src/open-store.ts'

/** An account of an app, and a token that opens it. */
export interface Person {
  account: Account
  token: string
}

let parts = 0

/** Makes an account as a sign-in leaves it, without a service: each in a part of its own unless one is given. */
export async function newPerson(
  { database, hasher }: Pick<Store, 'database' | 'hasher'>,
  appId: string,
  part = (parts +=
    1),
): Promise<Person> {
  const now = Date.now()
  const account: Account = { part, id: newPartId(part, now), appId, parts: [part], createdAt: now }
  await insertAccount(database, account)
  const token = newAccessToken(part, now)
  await insertAccessToken(database, account, hasher.hash('access_token', token), now)
  return { account, token }
}
