import { readAccessToken, readProxyToken, tokenIdOf } from '#model/accounts/access-token.ts'
import type { Account, AccountOfProxyToken, OpenedAccount, TokenKey } from '#model/accounts/account.ts'
import { auditAccount } from '#store/audit.ts'
import { findAccountByToken, revokeAccessToken } from '#store/identity/access-tokens.ts'
import { requireAccountById } from '#store/identity/accounts.ts'
import { findCallingAccount, type StoredForCalls } from '#store/identity/calling-accounts.ts'
import { findAccountByProxyToken, findCallerByProxyToken, removeProxyToken } from '#store/identity/proxy-tokens.ts'
import type { IdentityDeps } from './deps.ts'

/** The account of an access token; undefined if the token is malformed, unknown, revoked or of a merged account. */
export async function accountOf(
  { database, hasher }: Pick<IdentityDeps, 'database' | 'hasher'>,
  token: string,
): Promise<OpenedAccount | undefined> {
  const key = tokenKey({ hasher }, token)
  return key === undefined ? undefined : findAccountByToken(database, key)
}

/** Who calls a service by an access token or by a token for this service, with what calls of the profiles need. */
export async function callingAccountOf(
  { database, hasher, keyring, clock }: Pick<IdentityDeps, 'database' | 'hasher' | 'keyring' | 'clock'>,
  token: string,
  service: string,
): Promise<{ account: OpenedAccount | AccountOfProxyToken; stored: StoredForCalls } | undefined> {
  const ofProxy = proxyTokenKey({ hasher }, token)
  if (ofProxy !== undefined) return findCallerByProxyToken(database, keyring, ofProxy, { service, nowMs: clock.now() })
  const key = tokenKey({ hasher }, token)
  return key === undefined ? undefined : findCallingAccount(database, keyring, key, service)
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

/** The account of a token for one service, as `accountOf` does of an access token. */
export async function accountOfProxyToken(
  { database, hasher, clock }: Pick<IdentityDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<AccountOfProxyToken | undefined> {
  const key = proxyTokenKey({ hasher }, token)
  return key === undefined ? undefined : findAccountByProxyToken(database, key, clock.now())
}

function proxyTokenKey({ hasher }: Pick<IdentityDeps, 'hasher'>, token: string): TokenKey | undefined {
  const parsed = readProxyToken(token)
  return parsed && { shard: parsed.shard, hash: hasher.hash('proxy_token', token) }
}

/**
 * RFC 7009: revoking an unknown token, or one of another app, succeeds without effect. Without an app the token itself
 * is the permission: every caller who has it may end it, also one for a service.
 */
export async function revokeToken(deps: IdentityDeps, token: string, appId?: string): Promise<void> {
  const ofProxy = await accountOfProxyToken(deps, token)
  const account = ofProxy ?? (await accountOf(deps, token))
  if (account === undefined || account.appId !== (appId ?? account.appId)) return
  const actor = appId === undefined ? 'token' : `app:${appId}`
  if (ofProxy === undefined) await endAccessToken(deps, account, token, actor)
  else await endProxyToken(deps, ofProxy, ofProxy.proxyToken.id, actor)
}

async function endAccessToken(deps: IdentityDeps, account: Account, token: string, actor: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.transaction(async (tx) => {
    await revokeAccessToken(tx, account.shard, deps.hasher.hash('access_token', token), now)
    await auditAccount(tx, account, { at: now, actor, action: 'token.revoke' })
  })
}

/** Ends a token for one service. False if the account has none with this id. */
export async function endProxyToken(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  account: Account,
  id: string,
  actor: string,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    if (!(await removeProxyToken(tx, account, id))) return false
    await auditAccount(tx, account, { at: clock.now(), actor, action: 'proxy_token.revoke', detail: { id } })
    return true
  })
}

/** For operators: a token of any app, also one for a service. False if the token does not exist. */
export async function revokeAnyToken(
  deps: Pick<IdentityDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<boolean> {
  const { database, hasher, clock } = deps
  const ofProxy = await accountOfProxyToken(deps, token)
  if (ofProxy !== undefined) return endProxyToken(deps, ofProxy, ofProxy.proxyToken.id, 'cli')
  const parsed = readAccessToken(token)
  return (
    parsed !== undefined && revokeAccessToken(database, parsed.shard, hasher.hash('access_token', token), clock.now())
  )
}

/** What names a token in the log, and whose it is. */
export interface IdentifiedToken {
  id: string
  kind: 'account' | 'service'
  /** Absent if it is not valid. */
  account?: Account
  /** Of a token for one service. */
  service?: string
}

/** For operators who investigate a leak: also a token that was revoked has an id. Undefined for any other text. */
export async function identifyToken(
  deps: Pick<IdentityDeps, 'database' | 'hasher' | 'clock'>,
  token: string,
): Promise<IdentifiedToken | undefined> {
  const [ofAccount, ofProxy] = [tokenKey(deps, token), proxyTokenKey(deps, token)]
  if (ofProxy !== undefined) {
    const account = await accountOfProxyToken(deps, token)
    const whose = account && { account, service: account.proxyToken.service }
    return { id: tokenIdOf(ofProxy.hash), kind: 'service', ...whose }
  }
  if (ofAccount === undefined) return undefined
  const account = await accountOf(deps, token)
  return { id: tokenIdOf(ofAccount.hash), kind: 'account', ...(account && { account }) }
}
