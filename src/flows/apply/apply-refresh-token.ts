import { setTimeout as sleep } from 'node:timers/promises'
import type { IdentityDeps } from '#identity/deps.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { App } from '#model/apps/app.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { claimApplied, deleteApplied, findApplied, storeApplied } from '#store/identity/applied-tokens.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { ServiceKey } from '#upstream/request/service-key.ts'

/** Longer than a refresh and the calls after it may take. */
const LEASE_MS = 90_000
const POLL_MS = 150
/** A batch that is imported again after a crash or an error finds what it did. */
const APPLIED_TTL_MS = 90 * 86_400_000
/** A token with less remaining lifetime is refreshed before it is tried. */
const MINIMUM_LIFETIME_MS = 10_000

/** Where the profile of an applied refresh token is. */
export interface AppliedProfile {
  shard: number
  profileId: string
}

interface AppliedValue {
  credential?: Credential
  profile?: AppliedProfile
}

/** A refresh token that this process may use until its lease ends. */
export interface ClaimedToken {
  hash: Buffer
  credential: Credential
  /** Set when this request connected a profile before. */
  profile: AppliedProfile | undefined
  /** Ends the claim inside the transaction that connects the profile. */
  connected: (tx: Queries, profile: AppliedProfile) => Promise<void>
  /** Nothing was connected; what the service returned stays stored for the next attempt. */
  release: () => Promise<void>
}

interface RefreshInput {
  app: App
  connector: Connector
  key: ServiceKey
  credential: Credential
}

/**
 * Lets one caller in all processes go on with this refresh token: a service may end the grant if it is used twice. A request
 * that was interrupted after the refresh goes on with what the service returned then.
 */
export async function claimRefreshToken(deps: IdentityDeps, input: RefreshInput): Promise<ClaimedToken> {
  const { database, keyring, clock } = deps
  const hash = hashOf(deps, input)
  const given: AppliedValue = { credential: input.credential }
  const giveUpAt = clock.now() + LEASE_MS
  for (;;) {
    const now = clock.now()
    const row = { hash, appId: input.app.id, leaseUntil: now + LEASE_MS, expiresAt: now + APPLIED_TTL_MS }
    const claimed = await database.transaction((tx) =>
      claimApplied(tx, keyring, { ...row, value: JSON.stringify(given) }, now),
    )
    if (claimed !== undefined) {
      const { credential, profile } = JSON.parse(claimed) as AppliedValue
      const store = (tx: Queries, value: AppliedValue) =>
        storeApplied(tx, keyring, { ...row, leaseUntil: 0, value: JSON.stringify(value) })
      return {
        hash,
        credential: credential ?? input.credential,
        profile,
        connected: (tx, at) => store(tx, { profile: at }),
        release: async () => {
          const text = await findApplied(database, keyring, hash)
          const value = text === undefined ? given : (JSON.parse(text) as AppliedValue)
          const isUnused =
            value.profile === undefined && value.credential?.refreshToken === input.credential.refreshToken
          if (isUnused) await deleteApplied(database, hash)
          else await database.transaction((tx) => store(tx, value))
        },
      }
    }
    if (now > giveUpAt)
      throw new ApiError('service_unreachable', 'The same refresh token is being applied by another request.')
    await sleep(POLL_MS)
  }
}

/** Refreshes and stores the result before it is used, so that a crash cannot lose a rotated refresh token. */
export async function refreshClaimed(
  { upstream, database, keyring, clock }: IdentityDeps,
  { app, connector, key }: Omit<RefreshInput, 'credential'>,
  { hash, credential }: ClaimedToken,
): Promise<Credential> {
  const renewed = await refreshCredential(upstream, { connector, key, credential })
  const now = clock.now()
  const value = JSON.stringify({ credential: renewed } satisfies AppliedValue)
  const applied = { hash, appId: app.id, value, leaseUntil: now + LEASE_MS, expiresAt: now + APPLIED_TTL_MS }
  await database.transaction((tx) => storeApplied(tx, keyring, applied))
  return renewed
}

export function mustRefresh({ clock }: Pick<IdentityDeps, 'clock'>, { token, expiresAt }: Credential): boolean {
  return token === '' || (expiresAt !== undefined && expiresAt - MINIMUM_LIFETIME_MS < clock.now())
}

/** The service refuses the token, and a refresh may help. */
export function isRefused(error: unknown): boolean {
  return error instanceof UpstreamError && error.recovery === 'reauthorize'
}

/** By what identifies the grant: the refresh token, and the server it is for. */
function hashOf({ hasher }: IdentityDeps, { app, connector, credential }: RefreshInput): Buffer {
  const instance = Object.entries(credential.instance ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return hasher.hash('applied', JSON.stringify([app.id, connector.service, credential.refreshToken, instance]))
}
