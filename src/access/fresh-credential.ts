import { setTimeout as sleep } from 'node:timers/promises'
import type { Credential } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import type { Profile } from '#model/profile.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { type Keyring, SealError } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import {
  findCredential,
  leaseRefresh,
  releaseRefresh,
  renewCredential,
  type StoredCredential,
} from '#store/identity/credentials.ts'
import { UpstreamError } from '#upstream/errors.ts'
import { SubjectChangedError } from '#upstream/oauth2/refresh.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import type { Upstream } from '#upstream/send.ts'
import type { ServiceKey } from '#upstream/service-key.ts'
import { markNeedsAuth } from './needs-auth.ts'

export interface FreshDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  upstream: Upstream
}

export interface FreshTarget {
  profile: Profile
  connector: Connector
  key: ServiceKey
}

export interface Fresh {
  credential: Credential
  version: number
}

/** Refreshed this long before it ends, so that no call starts with a token that ends on the way. */
const AHEAD_MS = 5 * 60_000
/** Too short for a call to be sure of its end. */
const NEARLY_OVER_MS = 10_000
/** Longer than a refresh may take, shorter than anybody wants to wait for a process that died in one. */
const LEASE_MS = 45_000
const POLL_MS = 150

/**
 * A credential that works now. Of all callers in all processes one refreshes, the others wait for what it writes:
 * services that rotate refresh tokens end the whole grant when two use the same one.
 * `refused` is the version that the service just answered 401 to.
 */
export async function freshCredential(deps: FreshDeps, target: FreshTarget, refused?: number): Promise<Fresh> {
  const key = { shard: target.profile.shard, profileId: target.profile.id }
  const giveUpAt = deps.clock.now() + 2 * LEASE_MS
  for (;;) {
    const stored = await readCredential(deps, target.profile)
    if (stored === undefined)
      throw new UpstreamError('reauthorize', 'There is no credential.', { reason: 'no_credential' })
    const credential = JSON.parse(stored.value) as Credential
    if (!wantsRefresh(deps, target, credential, stored, refused)) return { credential, version: stored.version }
    const now = deps.clock.now()
    if (await leaseRefresh(deps.database, key, stored.version, now + LEASE_MS, now))
      return refresh(deps, target, credential, stored, refused)
    if (now > giveUpAt)
      throw new UpstreamError('retry', 'Another process refreshes this credential and does not end.', {
        reason: 'refresh_busy',
      })
    await sleep(POLL_MS)
  }
}

/** One that is damaged is of no use to anybody any more: the person has to sign in again. */
async function readCredential(deps: FreshDeps, profile: Profile): Promise<StoredCredential | undefined> {
  try {
    return await findCredential(deps.database, deps.keyring, { shard: profile.shard, profileId: profile.id })
  } catch (error) {
    if (!(error instanceof SealError) || error.reason !== 'damaged') throw error
    const refusal = new UpstreamError('reauthorize', error.message, { reason: 'credential_damaged', cause: error })
    await markNeedsAuth(deps, profile, refusal)
    throw refusal
  }
}

function wantsRefresh(
  { clock }: FreshDeps,
  { connector }: FreshTarget,
  credential: Credential,
  stored: StoredCredential,
  refused: number | undefined,
): boolean {
  const { auth } = connector
  if (auth.kind !== 'oauth2' || (credential.refreshToken === undefined && auth.renew === undefined)) return false
  if (refused === stored.version) return true
  const renewAheadMs = credential.refreshToken === undefined ? (auth.renew?.aheadS ?? 0) * 1000 : 0
  return stored.expiresAt !== undefined && stored.expiresAt - Math.max(aheadMs(stored), renewAheadMs) < clock.now()
}

// A token that lives for a minute is not refreshed with every call.
function aheadMs({ expiresAt, updatedAt }: StoredCredential): number {
  return Math.max(0, Math.min(AHEAD_MS, ((expiresAt ?? 0) - updatedAt) / 5))
}

async function refresh(
  deps: FreshDeps,
  target: FreshTarget,
  credential: Credential,
  stored: StoredCredential,
  refused: number | undefined,
): Promise<Fresh> {
  const key = { shard: target.profile.shard, profileId: target.profile.id }
  try {
    const renewed = await refreshCredential(deps.upstream, { connector: target.connector, key: target.key, credential })
    // Written before anybody uses it: a crash after this line loses nothing.
    const wrote = await renewCredential(
      deps.database,
      deps.keyring,
      key,
      stored.version,
      JSON.stringify(renewed),
      renewed.expiresAt,
      deps.clock.now(),
    )
    if (wrote) return { credential: renewed, version: stored.version + 1 }
  } catch (error) {
    await releaseRefresh(deps.database, key, stored.version)
    // Refreshed ahead of time: the token in hand still works, whatever ails the service; long ahead, even when it refuses.
    const refusal = error instanceof UpstreamError && error.recovery === 'reauthorize'
    const aheadOfEndMs = (stored.expiresAt ?? Number.POSITIVE_INFINITY) - deps.clock.now()
    // A service that gives somebody else's token is none to go on with.
    const isWaitable = refused !== stored.version && !(error instanceof SubjectChangedError)
    if (isWaitable && aheadOfEndMs > (refusal ? aheadMs(stored) : NEARLY_OVER_MS))
      return { credential, version: stored.version }
    if (!refusal) throw error
    await settleRefusal(deps, target, stored.version, error)
  }
  // The person signed in anew while we refreshed: theirs is the newer one.
  const newer = await readCredential(deps, target.profile)
  if (newer === undefined)
    throw new UpstreamError('reauthorize', 'There is no credential.', { reason: 'no_credential' })
  return { credential: JSON.parse(newer.value) as Credential, version: newer.version }
}

/** Refused for good only when nobody wrote a newer one meanwhile. */
async function settleRefusal(
  deps: FreshDeps,
  target: FreshTarget,
  version: number,
  error: UpstreamError,
): Promise<void> {
  const now = await readCredential(deps, target.profile)
  if (now !== undefined && now.version !== version) return
  await markNeedsAuth(deps, target.profile, error)
  throw error
}
