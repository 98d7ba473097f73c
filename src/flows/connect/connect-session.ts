import type { IdentityDeps } from '#identity/deps.ts'
import { mayConnect, servicesOf } from '#identity/services.ts'
import { newTicket } from '#model/accounts/access-token.ts'
import { type App, matchesRedirectUri } from '#model/apps/app.ts'
import { ApiError, invalidInput } from '#model/errors.ts'
import { newShardId, randomShard, shardOf } from '#platform/crypto/ids.ts'
import { writeAudit } from '#store/audit.ts'
import { findAccountById } from '#store/identity/accounts.ts'
import {
  countOpenSessions,
  expireOldestSessions,
  findConnectSession,
  insertConnectSession,
  revokeConnectSession,
  type StoredSession,
} from '#store/identity/connect-sessions.ts'

/** How long a link works if the app does not say; and the bounds. */
export const SESSION_S = { default: 1800, min: 60, max: 7 * 86_400 } as const

/** Limit (sign-in): links of one account that no browser uses yet; with a further one, the oldest expires. */
const MAX_UNUSED_PER_ACCOUNT = 20
/** Limit: open links of one app in each of 1024 shards, so at least 100,000 altogether; further ones are refused with `too_many_sessions`. */
const MAX_OPEN_PER_SHARD = 200

/** What the app asks for, stored sealed. */
export interface SessionRequest {
  redirectUri: string
  state?: string | undefined
  scope?: string | undefined
  /** Names of services; absent: all that the app offers. */
  services?: string[] | undefined
  locale?: string | undefined
  /** What the app calls the person, shown to them. */
  label?: string | undefined
  codeChallenge?: string | undefined
}

export interface NewSession extends SessionRequest {
  account?: string | undefined
  expiresInS?: number | undefined
}

/** `open`: nobody began. `used`: a browser began a sign-in. `done`: a profile was connected. */
export type SessionState = 'open' | 'used' | 'done' | 'expired' | 'revoked'

export interface SessionView {
  id: string
  state: SessionState
  account?: string
  /** What was connected, once it is done. */
  service?: string
  services?: string[]
  label?: string
  created_at: number
  expires_at: number
  used_at?: number
  done_at?: number
}

/** Creates a link for one person. The link itself is returned once; only its hash is stored. */
export async function createConnectSession(
  deps: IdentityDeps,
  app: App,
  { account, expiresInS = SESSION_S.default, ...request }: NewSession,
  actor: string,
): Promise<{ id: string; url: string; expires_at: number }> {
  const { database, keyring, hasher, clock, config } = deps
  if (!matchesRedirectUri(app.redirectUris, request.redirectUri))
    throw new ApiError('redirect_unregistered', undefined, { param: 'redirect_uri' })
  if (app.isPublic && request.codeChallenge === undefined)
    throw invalidInput('bad_parameter', 'code_challenge', 'must be given, because the app is a public client.')
  await checkServices(deps, app, request.services)
  const joined = account === undefined ? undefined : await findAccountById(database, account)
  if (account !== undefined && joined?.appId !== app.id)
    throw new ApiError('not_found', `There is no account ${account}.`, { param: 'account' })
  const now = clock.now()
  const shard = joined?.shard ?? randomShard()
  await checkOpen(deps, app, shard)
  const ticket = newTicket('tro', shard)
  const session = {
    id: newShardId(shard, now),
    hash: hasher.hash('connect_session', ticket),
    appId: app.id,
    accountId: joined?.id,
    value: JSON.stringify(request),
    createdAt: now,
    expiresAt: now + expiresInS * 1000,
  }
  await database.transaction(async (tx) => {
    if (joined !== undefined) await expireOldestSessions(tx, joined, { nowMs: now, keep: MAX_UNUSED_PER_ACCOUNT - 1 })
    await insertConnectSession(tx, keyring, session)
    await writeAudit(tx, {
      shard,
      at: now,
      actor,
      action: 'connect_session.create',
      appId: app.id,
      ...(joined === undefined ? {} : { accountId: joined.id }),
      detail: { session: session.id },
    })
  })
  return { id: session.id, url: `${config.baseUrl}${linkPath(ticket)}`, expires_at: session.expiresAt }
}

/**
 * Refuses a further link of an app that has too many. Counted in the shard of the new one, because a count over all shards would cost
 * more than the link. Requests at the same time may exceed the limit by their number.
 */
async function checkOpen({ database, clock }: IdentityDeps, app: App, shard: number): Promise<void> {
  const nowMs = clock.now()
  const { open, nextExpiresAt } = await countOpenSessions(database, {
    shard,
    appId: app.id,
    nowMs,
    max: MAX_OPEN_PER_SHARD,
  })
  if (open < MAX_OPEN_PER_SHARD) return
  throw new ApiError('too_many_sessions', undefined, {
    retryAfterS: Math.max(1, Math.ceil(((nextExpiresAt ?? nowMs) - nowMs) / 1000)),
  })
}

/** The address of a link. */
export function linkPath(ticket: string): string {
  return `/connect/link?${new URLSearchParams({ ticket }).toString()}`
}

async function checkServices(deps: IdentityDeps, app: App, names: readonly string[] | undefined): Promise<void> {
  if (names === undefined) return
  const unknown = names.find((name) => deps.registry.find(name) === undefined)
  if (unknown !== undefined) throw new ApiError('service_unknown', undefined, { param: 'services' })
  const isRefused = (name: string) => !mayConnect(app, { service: deps.registry.find(name)?.service ?? name })
  if (names.some(isRefused)) throw new ApiError('service_not_offered', undefined, { param: 'services' })
  const usable = new Set((await servicesOf(deps, app, names)).map(({ service }) => service))
  const isUsable = (name: string) => usable.has(deps.registry.find(name)?.service ?? name)
  if (!names.every(isUsable)) throw new ApiError('no_service_keys', undefined, { param: 'services' })
}

export async function showConnectSession(deps: IdentityDeps, app: App, id: string): Promise<SessionView> {
  return presentSession(deps, await requireSession(deps, app, id))
}

/** Ends a link. Repeating it changes nothing; a session that is done stays done. */
export async function endConnectSession(deps: IdentityDeps, app: App, id: string, actor: string): Promise<SessionView> {
  const { accountId } = await requireSession(deps, app, id)
  const shard = shardOf(id) ?? 0
  await deps.database.transaction(async (tx) => {
    const now = deps.clock.now()
    if (!(await revokeConnectSession(tx, id, now))) return
    await writeAudit(tx, {
      shard,
      at: now,
      actor,
      action: 'connect_session.revoke',
      appId: app.id,
      ...(accountId === undefined ? {} : { accountId }),
      detail: { session: id },
    })
  })
  return presentSession(deps, await requireSession(deps, app, id))
}

/** Those of other apps are not found. */
async function requireSession(deps: IdentityDeps, app: App, id: string): Promise<StoredSession> {
  const shard = shardOf(id)
  const session = shard === undefined ? undefined : await findConnectSession(deps.database, deps.keyring, shard, id)
  if (session === undefined || session.appId !== app.id) throw new ApiError('not_found', 'There is no such session.')
  return session
}

export function stateOf(session: StoredSession, nowMs: number): SessionState {
  if (session.revokedAt !== undefined) return 'revoked'
  if (session.doneAt !== undefined) return 'done'
  if (session.expiresAt <= nowMs) return 'expired'
  return session.usedAt === undefined ? 'open' : 'used'
}

function presentSession({ clock }: IdentityDeps, session: StoredSession): SessionView {
  const { id, accountId, service, createdAt, expiresAt, usedAt, doneAt } = session
  const { services, label } = requestIn(session)
  return {
    id,
    state: stateOf(session, clock.now()),
    ...(accountId === undefined ? {} : { account: accountId }),
    ...(service === undefined ? {} : { service }),
    ...(services === undefined ? {} : { services }),
    ...(label === undefined ? {} : { label }),
    created_at: createdAt,
    expires_at: expiresAt,
    ...(usedAt === undefined ? {} : { used_at: usedAt }),
    ...(doneAt === undefined ? {} : { done_at: doneAt }),
  }
}

export function requestIn({ value }: { value: string }): SessionRequest {
  return JSON.parse(value) as SessionRequest
}
