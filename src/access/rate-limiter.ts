// Limits the calls to services across all processes.

import type { Connector } from '#kit/connector.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { type BucketSize, blockRateLimit, type Grant, readRateLimits, takeTokens } from '#store/sync/rate-limits.ts'

/** Share of a service's limit that is used: its clock differs from ours. */
const USED_SHARE = 0.93
/** Share of a bucket that is reserved for interactive calls. */
const INTERACTIVE_SHARE = 0.1
/**
 * `grantMs`: how long a process may use a grant before it expires. `burstShare`: the share of a window that may be used
 * at once; the rest refills evenly. Calls of one person come from one worker at a time, many in the first sync and few
 * afterwards.
 */
const SHARED_POLICY: BucketPolicy = { grantMs: 1000, burstShare: 0.1 }
const PERSON_POLICY: BucketPolicy = { grantMs: 20_000, burstShare: 0.5 }
/** Limit of one app at a service whose connector declares none. */
const DEFAULT_LIMIT = { calls: 3000, perS: 60 }
/**
 * Practically unlimited: such a bucket only exists to be blocked. The long window prevents that one grant empties it.
 */
const UNLIMITED = { calls: 1_000_000_000, perS: 1000 }
/** Limit: grants of the rate limiter grants in memory; beyond it, expired ones are dropped. */
const MAX_GRANTS = 20_000

/** Limit: time for which a service may block all calls of an app, or those to one person's own server; a longer block is shortened to this. */
const MAX_APP_BLOCK_MS = 3_600_000
/** Limit: time for which a service may block the calls of one person; a longer block is shortened to this. */
const MAX_PERSON_BLOCK_MS = 86_400_000

/** `sync`: a background call; `person`: an app or person waits for the response. */
export type CallPurpose = 'sync' | 'person'

export interface Wait {
  /** When to try again; undefined: the call may be made now. */
  untilMs: number | undefined
}

/** Limits the calls to services with token buckets. All processes share the buckets and take small grants from them. */
export interface RateLimiter {
  /**
   * Takes one call of this app, and of the profile if given.
   * `server` is the person's own, if the service has many: then each server has its own bucket.
   */
  tryAcquire(
    appId: string,
    connector: Connector,
    purpose: CallPurpose,
    profileId?: string,
    server?: string,
  ): Promise<Wait>
  /**
   * Blocks calls until a time, because of a 429 or used-up limits: of one profile if given, else at one server if
   * given, else all of the app.
   */
  block(appId: string, connector: Connector, untilMs: number, profileId?: string, server?: string): Promise<void>
  /** Calls that may be made now: by the app, and for the profile if given. */
  left(appId: string, connector: Connector, profileId?: string, server?: string): Promise<number>
  /** About how many syncs may start for each pair: 0 if the app is blocked. */
  capacity(pairs: { appId: string; connector: Connector }[]): Promise<number[]>
}

interface Bucket {
  name: string
  size: BucketSize
  grantMs: number
}

interface BucketPolicy {
  grantMs: number
  burstShare: number
}

interface HeldGrant {
  tokens: number
  expiresAt: number
}

export function createRateLimiter({ database, clock }: { database: Database; clock: Clock }): RateLimiter {
  const grants = new Map<string, HeldGrant>()
  const refills = new Map<string, Promise<Grant>>()

  async function refill({ name, size, grantMs }: Bucket, reserved: number): Promise<Grant> {
    // One refill at a time per bucket: concurrent callers share it.
    const key = `${name} ${reserved}`
    const pending = refills.get(key)
    if (pending !== undefined) return pending
    const want = Math.max(1, Math.min(size.burst, Math.ceil((size.perMs * grantMs) / 2)))
    const refilled = takeTokens(database, name, size, want, reserved, clock.now())
      .then((grant) => {
        if (grant.granted > 0) {
          if (grants.size > MAX_GRANTS) dropExpired(grants, clock.now())
          grants.set(name, { tokens: grant.granted, expiresAt: clock.now() + grantMs })
        }
        return grant
      })
      .finally(() => refills.delete(key))
    refills.set(key, refilled)
    return refilled
  }

  async function takeOne(from: Bucket, reserved: number): Promise<Wait> {
    for (;;) {
      const grant = grants.get(from.name)
      if (grant !== undefined && grant.tokens >= 1 && grant.expiresAt > clock.now()) {
        grant.tokens -= 1
        return { untilMs: undefined }
      }
      const { granted, retryAtMs } = await refill(from, reserved)
      if (granted === 0) return { untilMs: retryAtMs }
    }
  }

  return {
    tryAcquire: async (appId, connector, purpose, profileId, server) => {
      const taken: Bucket[] = []
      for (const each of bucketsOf(appId, connector, profileId, server)) {
        const wait = await takeOne(each, purpose === 'person' ? 0 : interactiveReserve(each.size))
        if (wait.untilMs !== undefined) {
          // Return the tokens of the other buckets, because no call is made.
          for (const { name } of taken) {
            const grant = grants.get(name)
            if (grant !== undefined) grant.tokens += 1
          }
          return wait
        }
        taken.push(each)
      }
      return { untilMs: undefined }
    },
    block: async (appId, connector, untilMs, profileId, server) => {
      if (Number.isNaN(untilMs)) return
      const [name, maxMs] =
        profileId === undefined
          ? [appBucket(appId, connector, server), MAX_APP_BLOCK_MS]
          : [personBucket(appId, connector, profileId), MAX_PERSON_BLOCK_MS]
      grants.delete(name)
      const nowMs = clock.now()
      await blockRateLimit(database, name, Math.ceil(Math.min(untilMs, nowMs + maxMs)), nowMs)
    },
    left: async (appId, connector, profileId, server) => {
      const nowMs = clock.now()
      const left = [...(await readRateLimits(database, bucketsOf(appId, connector, profileId, server), nowMs)).values()]
      return Math.min(
        ...left.map(({ tokens, blockedUntil }) => (blockedUntil > nowMs ? 0 : Math.max(0, Math.floor(tokens)))),
      )
    },
    capacity: async (pairs) => {
      const nowMs = clock.now()
      const buckets = pairs.map(({ appId, connector }) =>
        bucket(appBucket(appId, connector), appLimit(connector), SHARED_POLICY),
      )
      const left = await readRateLimits(database, buckets, nowMs)
      return buckets.map(({ name, size }) => {
        const { tokens, blockedUntil } = left.get(name)!
        // Includes the tokens of the next second.
        return blockedUntil > nowMs ? 0 : Math.max(0, Math.floor(tokens + size.perMs * 1000 - interactiveReserve(size)))
      })
    },
  }
}

const appBucket = (appId: string, { service }: Connector, server?: string): string =>
  server === undefined ? `${appId} ${service}` : `${appId} ${service} @${server}`
const personBucket = (appId: string, { service }: Connector, profileId: string): string =>
  `${appId} ${service} ${profileId}`

/** The narrowest bucket first: a person without calls left takes none from the app's bucket. */
function bucketsOf(
  appId: string,
  connector: Connector,
  profileId: string | undefined,
  server: string | undefined,
): Bucket[] {
  const { limits, rate } = connector.api
  const buckets = [bucket(appBucket(appId, connector, server), appLimit(connector), SHARED_POLICY)]
  if (profileId !== undefined) {
    const name = personBucket(appId, connector, profileId)
    if (limits?.person !== undefined) buckets.unshift(bucket(name, limits.person, PERSON_POLICY))
    // Without a limit per person, the bucket only exists to be blocked by headers about the person.
    else if (rate !== undefined) buckets.unshift(bucket(name, UNLIMITED, SHARED_POLICY))
  }
  if (limits?.service !== undefined) buckets.push(bucket(`* ${connector.service}`, limits.service, SHARED_POLICY))
  return buckets
}

/** If a service limits only persons, the app's bucket only exists to be blocked. */
function appLimit({ api: { limits } }: Connector): { calls: number; perS: number } {
  return limits?.app ?? (limits?.person === undefined ? DEFAULT_LIMIT : UNLIMITED)
}

/**
 * Sized so that no window of the service, whenever it starts, has more calls than allowed: the burst, the refill during
 * the window, and a grant that was taken before the window and used in it.
 */
function bucket(
  name: string,
  { calls, perS }: { calls: number; perS: number },
  { grantMs, burstShare }: BucketPolicy,
): Bucket {
  const allowed = calls * USED_SHARE
  const burst = Math.max(1, allowed * burstShare)
  const perMs = Math.max(allowed - burst, allowed / 2) / (perS * 1000 + grantMs)
  return { name, size: { burst, perMs }, grantMs }
}

// A bucket of one token reserves nothing, otherwise no sync could run.
function interactiveReserve({ burst }: BucketSize): number {
  return Math.min(burst * INTERACTIVE_SHARE, burst - 1)
}

function dropExpired(grants: Map<string, HeldGrant>, nowMs: number): void {
  for (const [name, { expiresAt }] of grants) if (expiresAt <= nowMs) grants.delete(name)
}
