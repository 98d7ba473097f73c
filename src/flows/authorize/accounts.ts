import { readAccessToken } from '#model/access-token.ts'
import type { Account, OpenedAccount, TokenKey } from '#model/account.ts'
import type { App } from '#model/app.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountByToken, revokeAccessToken } from '#store/identity/access-tokens.ts'
import { requireAccountById } from '#store/identity/accounts.ts'
import type { AuthorizeDeps } from './deps.ts'

/** The account a token opens; undefined for one that is mistyped, unknown, revoked or merged away. */
export async function accountOf(
  { database, hasher }: Pick<AuthorizeDeps, 'database' | 'hasher'>,
  token: string,
): Promise<OpenedAccount | undefined> {
  const key = tokenKey({ hasher }, token)
  return key === undefined ? undefined : findAccountByToken(database, key)
}

/** A token as the store knows it; undefined for one that is mistyped. */
function tokenKey({ hasher }: Pick<AuthorizeDeps, 'hasher'>, token: string): TokenKey | undefined {
  const shards = readAccessToken(token)
  return shards && { shard: shards.shard, hash: hasher.hash('access_token', token) }
}

/** For operators: any account, by its id. */
export function accountById({ database }: Pick<AuthorizeDeps, 'database'>, id: string): Promise<Account> {
  return requireAccountById(database, id)
}

/** RFC 7009: taking back a token that is not there, or not this app's, is no error and no effect. */
export async function revokeToken(deps: AuthorizeDeps, app: App, token: string): Promise<void> {
  const account = await accountOf(deps, token)
  if (account?.appId !== app.id) return
  const now = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    await revokeAccessToken(tx, account.shard, deps.hasher.hash('access_token', token), now)
    await auditAccount(tx, account, { at: now, actor: `app:${app.id}`, action: 'token.revoke' })
  })
}

/** For operators: any app's token. False when there is no such token. */
export async function revokeAnyToken(
  { database, hasher, clock }: Pick<AuthorizeDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<boolean> {
  const shards = readAccessToken(token)
  return (
    shards !== undefined && revokeAccessToken(database, shards.shard, hasher.hash('access_token', token), clock.now())
  )
}
