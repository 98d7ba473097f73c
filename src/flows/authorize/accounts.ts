import { readAccessToken } from '#model/access-token.ts'
import type { Account, OpenedAccount, TokenKey } from '#model/account.ts'
import type { App } from '#model/app.ts'
import { findAccountByToken, revokeAccessToken } from '#store/access-tokens.ts'
import { requireAccountById } from '#store/accounts.ts'
import { auditAccount } from '#store/audit.ts'
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

/** For operators: any account, by its id. */
export function accountById({ database }: Pick<AuthorizeNeed, 'database'>, id: string): Promise<Account> {
  return requireAccountById(database, id)
}

/** RFC 7009: taking back a token that is not there, or not this app's, is no error and no effect. */
export async function revokeToken(need: AuthorizeNeed, app: App, token: string): Promise<void> {
  const account = await accountOf(need, token)
  if (account?.appId !== app.id) return
  const now = need.clock.now()
  await need.database.transaction(async (tx) => {
    await revokeAccessToken(tx, account.part, need.hasher.hash('access_token', token), now)
    await auditAccount(tx, account, { at: now, actor: `app:${app.id}`, action: 'token.revoke' })
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
