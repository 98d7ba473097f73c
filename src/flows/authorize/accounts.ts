import { partOf } from '#base/ids.ts'
import { readAccessToken } from '#model/access-token.ts'
import type { Account, OpenedAccount, TokenKey } from '#model/account.ts'
import type { App } from '#model/app.ts'
import { ApiError } from '#model/errors.ts'
import { findAccountByToken, revokeAccessToken } from '#store/access-tokens.ts'
import { findAccount } from '#store/accounts.ts'
import { writeAudit } from '#store/audit.ts'
import type { Queries } from '#store/database.ts'
import type { AuthorizeNeed } from './need.ts'

/** The account a token opens; undefined for one that is mistyped, unknown, revoked or merged away. */
export async function accountOf(
  { database, hasher }: Pick<AuthorizeNeed, 'database' | 'hasher'>,
  token: string,
): Promise<OpenedAccount | undefined> {
  const key = tokenKey({ hasher }, token)
  return key === undefined ? undefined : findAccountByToken(database, key)
}

/** A token as the store knows it; undefined for one that is mistyped. */
function tokenKey({ hasher }: Pick<AuthorizeNeed, 'hasher'>, token: string): TokenKey | undefined {
  const parts = readAccessToken(token)
  return parts && { part: parts.part, hash: hasher.hash('access_token', token) }
}

/** An account that is there and not merged away. */
export async function findAccountById(queries: Queries, id: string): Promise<Account | undefined> {
  const part = partOf(id)
  return part === undefined ? undefined : findAccount(queries, part, id)
}

/** For operators: any account, by its id. */
export async function accountById({ database }: Pick<AuthorizeNeed, 'database'>, id: string): Promise<Account> {
  const account = await findAccountById(database, id)
  if (account === undefined) throw new ApiError('not_found', `There is no account ${id}.`)
  return account
}

/** RFC 7009: taking back a token that is not there, or not this app's, is no error and no effect. */
export async function revokeToken(need: AuthorizeNeed, app: App, token: string): Promise<void> {
  const account = await accountOf(need, token)
  if (account?.appId !== app.id) return
  const now = need.clock.now()
  await need.database.transaction(async (tx) => {
    await revokeAccessToken(tx, account.part, need.hasher.hash('access_token', token), now)
    await writeAudit(tx, {
      part: account.part,
      at: now,
      actor: `app:${app.id}`,
      action: 'token.revoke',
      appId: app.id,
      accountId: account.id,
    })
  })
}

/** For operators: any app's token. False when there is no such token. */
export async function revokeAnyToken(
  { database, hasher, clock }: Pick<AuthorizeNeed, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<boolean> {
  const parts = readAccessToken(token)
  return parts !== undefined && revokeAccessToken(database, parts.part, hasher.hash('access_token', token), clock.now())
}
