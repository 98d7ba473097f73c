import { endProxyToken } from '#identity/accounts.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { newProxyToken, tokenIdOf } from '#model/accounts/access-token.ts'
import type { Account } from '#model/accounts/account.ts'
import { isNamed, parseProfileName, profileName } from '#model/accounts/profile-name.ts'
import type { ProxyTokenLimits } from '#model/accounts/proxy-token.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { auditAccount } from '#store/audit.ts'
import { lockAccount } from '#store/identity/accounts.ts'
import { insertProxyToken, listProxyTokens, type StoredProxyToken } from '#store/identity/proxy-tokens.ts'
import { profileRefsOf } from '#store/identity/readable-profiles.ts'
import { faultOfPath } from './token-limits.ts'

/** How long a token may be valid, in seconds. */
export const PROXY_TOKEN_S = { min: 60, max: 400 * 86_400 } as const
/** Limit: tokens for services that an account may have; a further one is refused with `too_many_tokens`. */
const MAX_PROXY_TOKENS = 100
/** Limit: paths that one token for a service may name. */
export const MAX_TOKEN_PATHS = 20
/** Limit: characters of a path that a token for a service names. */
export const MAX_TOKEN_PATH = 500
/** Limit: methods that one token for a service may name. */
export const MAX_TOKEN_METHODS = 20

/** Limit: characters of the label of a token for a service. */
export const MAX_TOKEN_LABEL = 100

export interface ProxyTokenRequest {
  /** `service` or `id@service`. */
  service: string
  methods?: readonly string[] | undefined
  paths?: readonly string[] | undefined
  label?: string | undefined
  /** Default: until it is revoked. */
  expiresInS?: number | undefined
}

export interface ProxyTokenView {
  id: string
  /** `service`, or `id@service` if it is for one profile. */
  service: string
  methods?: string[]
  paths?: string[]
  label?: string
  made_by: string
  created_at: number
  expires_at?: number
  used_at?: number
}

/** Creates a token for one service. It is returned once; only its hash is stored. */
export async function createProxyToken(
  deps: IdentityDeps,
  account: Account,
  request: ProxyTokenRequest,
  actor: string,
): Promise<ProxyTokenView & { token: string }> {
  const { database, hasher, clock } = deps
  const now = clock.now()
  const token = newProxyToken(account.shard, now)
  const hash = hasher.hash('proxy_token', token)
  const id = tokenIdOf(hash)
  const view = await database.transaction(async (tx) => {
    const locked = await lockAccount(tx, account.shard, account.id)
    // Merged or deleted after the caller was verified.
    if (locked === undefined) throw new ApiError('token_invalid')
    const profiles = await profileRefsOf(tx, locked)
    const limits = limitsOf(deps, request, { profiles, nowMs: now })
    if ((await listProxyTokens(tx, locked, now)).length >= MAX_PROXY_TOKENS) throw new ApiError('too_many_tokens')
    const made = { id, label: request.label, madeBy: actor, createdAt: now }
    const makerHash = account.token?.hash
    await insertProxyToken(tx, locked, { ...limits, ...made, hash, makerHash })
    const { service, methods, paths, expiresAt } = limits
    const detail = { id, service, methods, paths, expires_at: expiresAt }
    await auditAccount(tx, locked, { at: now, actor, action: 'proxy_token.create', detail })
    return presentToken({ ...limits, ...made, usedAt: undefined }, profiles)
  })
  return { ...view, token }
}

/** Tokens for services of an account that are valid, the oldest first; never the tokens themselves. */
export async function presentProxyTokens(
  { database, clock }: Pick<IdentityDeps, 'database' | 'clock'>,
  account: Account,
): Promise<ProxyTokenView[]> {
  const tokens = await listProxyTokens(database, account, clock.now())
  if (tokens.length === 0) return []
  const profiles = await profileRefsOf(database, account)
  return tokens.map((token) => presentToken(token, profiles))
}

export async function revokeProxyToken(
  deps: Pick<IdentityDeps, 'database' | 'clock'>,
  account: Account,
  id: string,
  actor: string,
): Promise<void> {
  if (!(await endProxyToken(deps, account, id, actor))) throw new ApiError('not_found', `There is no token ${id}.`)
}

type Refs = Awaited<ReturnType<typeof profileRefsOf>>

/** Throws `no_profile` if the account has none that is named. */
function limitsOf(
  { registry }: Pick<IdentityDeps, 'registry'>,
  { service: name, methods, paths, expiresInS }: ProxyTokenRequest,
  { profiles, nowMs }: { profiles: Refs; nowMs: number },
): ProxyTokenLimits {
  const named = parseProfileName(registry, name)
  const profile =
    named && profiles.find(({ service, owner, isMerged }) => !isMerged && isNamed(named, { service, nativeId: owner }))
  if (named === undefined || profile === undefined) throw new ApiError('no_profile', undefined, { param: 'service' })
  paths?.forEach((path, i) => {
    const fault = faultOfPath(path)
    if (fault !== undefined) throw invalidInput('bad_body', `paths.${i}`, fault)
  })
  return {
    service: named.service,
    ...(named.nativeId === undefined ? {} : { profileId: profile.profileId }),
    ...(methods === undefined ? {} : { methods: [...new Set(methods)] }),
    ...(paths === undefined ? {} : { paths: [...new Set(paths)] }),
    ...(expiresInS === undefined ? {} : { expiresAt: nowMs + expiresInS * 1000 }),
  }
}

function presentToken(token: StoredProxyToken, profiles: Refs): ProxyTokenView {
  const { id, service, profileId, methods, paths, label, madeBy, createdAt, expiresAt, usedAt } = token
  const profile = profiles.find((each) => each.profileId === profileId)
  return {
    id,
    service: profile === undefined ? service : profileName({ service, nativeId: profile.owner }),
    ...(methods === undefined ? {} : { methods: [...methods] }),
    ...(paths === undefined ? {} : { paths: [...paths] }),
    ...(label === undefined ? {} : { label }),
    made_by: madeBy,
    created_at: createdAt,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(usedAt === undefined ? {} : { used_at: usedAt }),
  }
}
