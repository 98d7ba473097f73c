import { readAccessToken } from '#model/accounts/access-token.ts'
import type { Account, OpenedAccount, TokenKey } from '#model/accounts/account.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountByToken, revokeAccessToken } from '#store/identity/access-tokens.ts'
import { requireAccountById } from '#store/identity/accounts.ts'
import type { IdentityDeps } from './deps.ts'

/** The account of an access token; undefined if the token is malformed, unknown, revoked or of a merged account. */
export async function accountOf(
  { database, hasher }: Pick<IdentityDeps, 'database' | 'hasher'>,
  token: string,
): Promise<OpenedAccount | undefined> {
  const key = tokenKey({ hasher }, token)
  return key === undefined ? undefined : findAccountByToken(database, key)
}

/** The key under which the store has a token; undefined if the token is malformed. */
function tokenKey({ hasher }: Pick<IdentityDeps, 'hasher'>, token: string): TokenKey | undefined {
  const parsed = readAccessToken(token)
  return parsed && { shard: parsed.shard, hash: hasher.hash('access_token', token) }
}

/** For operators: an account of any app, by its id. */
export function accountById({ database }: Pick<IdentityDeps, 'database'>, id: string): Promise<Account> {
  return requireAccountById(database, id)
}

/**
 * RFC 7009: revoking an unknown token, or one of another app, succeeds without effect. Without an app the token itself
 * is the permission: every caller who has it may end it.
 */
export async function revokeToken(deps: IdentityDeps, token: string, appId?: string): Promise<void> {
  const account = await accountOf(deps, token)
  if (account === undefined || account.appId !== (appId ?? account.appId)) return
  const now = deps.clock.now()
  const actor = appId === undefined ? 'token' : `app:${appId}`
  await deps.database.transaction(async (tx) => {
    await revokeAccessToken(tx, account.shard, deps.hasher.hash('access_token', token), now)
    await auditAccount(tx, account, { at: now, actor, action: 'token.revoke' })
  })
}

/** For operators: a token of any app. False if the token does not exist. */
export async function revokeAnyToken(
  { database, hasher, clock }: Pick<IdentityDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<boolean> {
  const parsed = readAccessToken(token)
  return (
    parsed !== undefined && revokeAccessToken(database, parsed.shard, hasher.hash('access_token', token), clock.now())
  )
}
