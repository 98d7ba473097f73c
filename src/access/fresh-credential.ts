// Provides the credential of a profile and refreshes it in one process at a time.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import type { Clock } from '#platform/clock.ts'
import { type Keyring, SealError } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import {
  findCredential,
  type KnownCredential,
  leaseRefresh,
  releaseRefresh,
  renewCredential,
  type StoredCredential,
} from '#store/identity/credentials.ts'
import { SubjectChangedError } from '#upstream/oauth2/refresh.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream } from '#upstream/request/send.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'
import { markNeedsAuth } from './needs-auth.ts'
import { forgetRefusedKey } from './service-access.ts'

export interface FreshDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  upstream: Upstream
}

export interface FreshTarget {
  profile: CalledProfile
  connector: Connector
  key: ServiceKey
}

export interface FreshCredential {
  credential: Credential
  version: number
}

/** A token is refreshed this long before it expires, so that it does not expire during a call. */
const REFRESH_AHEAD_MS = 5 * 60_000
/** With less remaining lifetime, a token may expire during a call. */
const MINIMUM_LIFETIME_MS = 10_000
/** Longer than a refresh may take, and short, because others wait for it if the process dies. */
const LEASE_MS = 45_000
const POLL_MS = 150

/**
 * The profile's credential, refreshed if necessary. One caller in all processes refreshes and the others wait for the
 * result, because services that rotate refresh tokens revoke the grant if a refresh token is used twice.
 * `refused` is the version to which the service just responded 401; `known` was read a moment ago.
 */
export async function freshCredential(
  deps: FreshDeps,
  target: FreshTarget,
  refused?: number,
  known?: KnownCredential,
): Promise<FreshCredential> {
  const key = { shard: target.profile.shard, profileId: target.profile.id }
  const giveUpAt = deps.clock.now() + 2 * LEASE_MS
  for (let isFirst = true; ; isFirst = false) {
    const stored = await readCredential(deps, target.profile, isFirst ? known : undefined)
    if (stored === undefined)
      throw new UpstreamError('reauthorize', 'The profile has no credential.', { reason: 'no_credential' })
    const credential = JSON.parse(stored.value) as Credential
    if (!needsRefresh(deps, target, credential, stored, refused)) return { credential, version: stored.version }
    const now = deps.clock.now()
    if (await leaseRefresh(deps.database, key, stored.version, now + LEASE_MS, now))
      return refresh(deps, target, credential, stored, refused)
    if (now > giveUpAt)
      throw new UpstreamError('retry', 'Another process has not finished refreshing this credential.', {
        reason: 'refresh_busy',
      })
    await sleep(POLL_MS)
  }
}

/** A damaged credential cannot be restored: the person has to sign in again. */
async function readCredential(
  deps: FreshDeps,
  profile: CalledProfile,
  known?: KnownCredential,
): Promise<StoredCredential | undefined> {
  try {
    if (known !== undefined) return known()
    return await findCredential(deps.database, deps.keyring, { shard: profile.shard, profileId: profile.id })
  } catch (error) {
    if (!(error instanceof SealError) || error.reason !== 'damaged') throw error
    const refusal = new UpstreamError('reauthorize', error.message, { reason: 'credential_damaged', cause: error })
    await markNeedsAuth(deps, profile, refusal)
    throw refusal
  }
}

function needsRefresh(
  { clock }: FreshDeps,
  { connector }: FreshTarget,
  credential: Credential,
  stored: StoredCredential,
  refused: number | undefined,
): boolean {
  const { auth } = connector
  if (auth.kind === 'typed')
    return (auth.exchange ?? auth.jwt) !== undefined && (refused === stored.version || expiresSoon(clock, stored))
  if (auth.kind !== 'oauth2' || (credential.refreshToken === undefined && auth.renew === undefined)) return false
  if (refused === stored.version) return true
  const renewAheadMs = credential.refreshToken === undefined ? (auth.renew?.aheadS ?? 0) * 1000 : 0
  return (
    stored.expiresAt !== undefined && stored.expiresAt - Math.max(refreshAheadMs(stored), renewAheadMs) < clock.now()
  )
}

function expiresSoon(clock: Clock, stored: StoredCredential): boolean {
  return stored.expiresAt !== undefined && stored.expiresAt - refreshAheadMs(stored) < clock.now()
}

// At most a fifth of the lifetime, so that a short-lived token is not refreshed with every call.
function refreshAheadMs({ expiresAt, updatedAt }: StoredCredential): number {
  return Math.max(0, Math.min(REFRESH_AHEAD_MS, ((expiresAt ?? 0) - updatedAt) / 5))
}

async function refresh(
  deps: FreshDeps,
  target: FreshTarget,
  credential: Credential,
  stored: StoredCredential,
  refused: number | undefined,
): Promise<FreshCredential> {
  const key = { shard: target.profile.shard, profileId: target.profile.id }
  try {
    const renewed = await refreshCredential(deps.upstream, { connector: target.connector, key: target.key, credential })
    // Stored before it is used, so that a crash cannot lose a rotated refresh token.
    const isStored = await renewCredential(
      deps.database,
      deps.keyring,
      key,
      stored.version,
      JSON.stringify(renewed),
      renewed.expiresAt,
      deps.clock.now(),
    )
    if (isStored) return { credential: renewed, version: stored.version + 1 }
  } catch (error) {
    await releaseRefresh(deps.database, key, stored.version)
    // If the refresh came ahead of the expiry, the old token still works; early enough, even after a refusal.
    const isRefusal =
      error instanceof UpstreamError &&
      (error.recovery === 'reauthorize' || (await isKeyGone(deps, target, credential, error)))
    const remainingMs = (stored.expiresAt ?? Number.POSITIVE_INFINITY) - deps.clock.now()
    // After a token of another person, the old one must not be used either.
    const mayUseStored = refused !== stored.version && !(error instanceof SubjectChangedError)
    if (mayUseStored && remainingMs > (isRefusal ? refreshAheadMs(stored) : MINIMUM_LIFETIME_MS))
      return { credential, version: stored.version }
    if (!isRefusal) throw error
    await handleRefusal(deps, target, stored.version, error)
  }
  // The person signed in again during the refresh, so the stored credential is newer.
  const newer = await readCredential(deps, target.profile)
  if (newer === undefined)
    throw new UpstreamError('reauthorize', 'The profile has no credential.', { reason: 'no_credential' })
  return { credential: JSON.parse(newer.value) as Credential, version: newer.version }
}

/** Marks the profile as `needs_auth`, unless a newer credential was stored meanwhile. */
async function handleRefusal(
  deps: FreshDeps,
  target: FreshTarget,
  version: number,
  error: UpstreamError,
): Promise<void> {
  const current = await readCredential(deps, target.profile)
  if (current !== undefined && current.version !== version) return
  await markNeedsAuth(deps, target.profile, error)
  throw error
}

/** The service has forgotten a key that it registered itself: only a new sign-in, with a new key, helps. */
async function isKeyGone(
  deps: FreshDeps,
  { profile, connector }: FreshTarget,
  { instance }: Credential,
  error: UpstreamError,
): Promise<boolean> {
  return forgetRefusedKey(deps, profile.appId, connector, instance, error)
}
