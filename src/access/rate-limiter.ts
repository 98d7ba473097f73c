// Limits the calls to services across all processes.

import { type CallCost, PLAIN_CALL } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { blockRateLimit, type Grant, readRateLimits, takeTokens } from '#store/sync/rate-limits.ts'
import {
  appBucket,
  appBuckets,
  type Bucket,
  bucketsOf,
  groupBucket,
  interactiveReserve,
  personBucket,
  serviceBucket,
} from './buckets.ts'

/** Limit: grants of the rate limiter grants in memory; beyond it, expired ones are dropped. */
const MAX_GRANTS = 20_000

/** Limit: time for which a service may block all calls of an app, or those to one person's own server; a longer block is shortened to this. */
const MAX_APP_BLOCK_MS = 3_600_000
/** Limit: time for which a service may block the calls of one person, or of an app to a group of endpoints; a longer block is shortened to this. */
const MAX_PERSON_BLOCK_MS = 86_400_000

/** `sync`: a background call; `person`: an app or person waits for the response. */
export type CallPurpose = 'sync' | 'person'

export interface Wait {
  /** When to try again; undefined: the call may be made now. */
  untilMs: number | undefined
  /** Other calls of the profile may be possible earlier. */
  isPartial?: boolean
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
    cost?: CallCost,
  ): Promise<Wait>
  /**
   * Blocks calls until a time, because of a 429 or used-up limits: of one profile if given, else at one server if
   * given, else all of the app. `whom`: only those of the profile or the app to one group of
   * endpoints, or those of all apps.
   */
  block(
    appId: string,
    connector: Connector,
    untilMs: number,
    profileId?: string,
    server?: string,
    whom?: { group: string } | 'everybody',
  ): Promise<void>
  /** Calls that may be made now: by the app, and for the profile if given. */
  left(appId: string, connector: Connector, profileId?: string, server?: string, cost?: CallCost): Promise<number>
  /** About how many syncs may start for each pair: 0 if the app is blocked. */
  capacity(pairs: { appId: string; connector: Connector }[]): Promise<number[]>
}

interface HeldGrant {
  tokens: number
  expiresAt: number
}

export function createRateLimiter({ database, clock }: { database: Database; clock: Clock }): RateLimiter {
  const grants = new Map<string, HeldGrant>()
  const refills = new Map<string, Promise<Grant>>()

  async function refill({ name, size, grantMs }: Bucket, reserved: number, weight: number): Promise<Grant> {
    // One refill at a time per bucket: concurrent callers share it.
    const key = `${name} ${reserved} ${weight}`
    const pending = refills.get(key)
    if (pending !== undefined) return pending
    const want = Math.max(weight, Math.min(size.burst, Math.ceil((size.perMs * grantMs) / 2)))
    const refilled = takeTokens(database, name, size, { wanted: want, least: weight, reserved }, clock.now())
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

  async function take(from: Bucket, reserved: number, weight: number): Promise<Wait> {
    for (;;) {
      const grant = grants.get(from.name)
      if (grant !== undefined && grant.tokens >= weight && grant.expiresAt > clock.now()) {
        grant.tokens -= weight
        return { untilMs: undefined }
      }
      const { granted, retryAtMs } = await refill(from, reserved, weight)
      if (granted === 0) return { untilMs: retryAtMs, ...(from.isPartial ? { isPartial: true } : {}) }
    }
  }

  return {
    tryAcquire: async (appId, connector, purpose, profileId, server, cost = PLAIN_CALL) => {
      const taken: Bucket[] = []
      for (const each of bucketsOf({ appId, connector, profileId, server }, cost)) {
        const reserved = purpose === 'person' ? 0 : interactiveReserve(connector, each.size)
        const wait = await take(each, reserved, weightIn(each, cost))
        if (wait.untilMs !== undefined) {
          // Return the tokens of the other buckets, because no call is made.
          for (const one of taken) {
            const grant = grants.get(one.name)
            if (grant !== undefined) grant.tokens += weightIn(one, cost)
          }
          return wait
        }
        taken.push(each)
      }
      return { untilMs: undefined }
    },
    block: async (appId, connector, untilMs, profileId, server, whom) => {
      if (Number.isNaN(untilMs)) return
      const [name, maxMs] = blocked({ appId, connector, profileId, server }, whom)
      grants.delete(name)
      const nowMs = clock.now()
      await blockRateLimit(database, name, Math.ceil(Math.min(untilMs, nowMs + maxMs)), nowMs)
    },
    left: async (appId, connector, profileId, server, cost = PLAIN_CALL) => {
      const nowMs = clock.now()
      const buckets = bucketsOf({ appId, connector, profileId, server }, cost)
      const left = [...(await readRateLimits(database, buckets, nowMs)).values()]
      return Math.min(
        ...left.map(({ tokens, blockedUntil }) => (blockedUntil > nowMs ? 0 : Math.max(0, Math.floor(tokens)))),
      )
    },
    capacity: async (pairs) => {
      const nowMs = clock.now()
      const buckets = pairs.map((pair) => appBuckets(pair))
      const left = await readRateLimits(database, buckets.flat(), nowMs)
      const startsIn = ({ name, size }: Bucket, connector: Connector) => {
        const { tokens, blockedUntil } = left.get(name)!
        const reserved = interactiveReserve(connector, size)
        // Includes the tokens of the next second.
        return blockedUntil > nowMs ? 0 : Math.max(0, Math.floor(tokens + size.perMs * 1000 - reserved))
      }
      return pairs.map(({ connector }, i) => Math.min(...buckets[i]!.map((each) => startsIn(each, connector))))
    },
  }
}

/** No call weighs more than a whole window. */
function weightIn({ size }: Bucket, { weight }: CallCost): number {
  return Math.min(weight, Math.max(1, Math.floor(size.burst)))
}

/** The bucket to block, and the longest time for it. */
function blocked(caller: Parameters<typeof personBucket>[0], whom: { group: string } | 'everybody' | undefined) {
  if (whom === 'everybody') return [serviceBucket(caller), MAX_APP_BLOCK_MS] as const
  const isOfApp = caller.profileId === undefined
  if (isOfApp && whom === undefined) return [appBucket(caller), MAX_APP_BLOCK_MS] as const
  const name = isOfApp ? appBucket(caller) : personBucket(caller)
  return [whom === undefined ? name : groupBucket(name, whom.group), MAX_PERSON_BLOCK_MS] as const
}

function dropExpired(grants: Map<string, HeldGrant>, nowMs: number): void {
  for (const [name, { expiresAt }] of grants) if (expiresAt <= nowMs) grants.delete(name)
}
