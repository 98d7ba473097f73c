// Limits the calls to services across all processes.

import { type CallCost, PLAIN_CALL } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import {
  blockRateLimit,
  type Grant,
  type RemainingCapacity,
  readRateLimits,
  type Take,
  takeFromSeveral,
  takeTokens,
} from '#store/sync/rate-limits.ts'
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

/** Limit: time for which a service may block calls; a longer block is shortened to this. */
const MAX_BLOCK_MS = 86_400_000

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
  /** Takes one call that a person waits for, if this process holds grants for it: at once, without asking the database. */
  takeHeld(appId: string, connector: Connector, profileId: string, server?: string, cost?: CallCost): boolean
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
  /** What the bucket had left when the grant was taken. */
  left: RemainingCapacity
  takenAt: number
}

/** For how long what a take returned says what a bucket has left. */
const LEFT_TTL_MS = 1000

export function createRateLimiter({ database, clock }: { database: Database; clock: Clock }): RateLimiter {
  const grants = new Map<string, HeldGrant>()
  const refills = new Map<string, Promise<Grant>>()
  /** Buckets that had too little, and until when. */
  const empty = new Map<string, number>()

  const held = (name: string, weight: number): HeldGrant | undefined => {
    const grant = grants.get(name)
    return grant !== undefined && grant.tokens >= weight && grant.expiresAt > clock.now() ? grant : undefined
  }

  const hold = ({ name, grantMs }: Bucket, { granted, left, retryAtMs }: Grant) => {
    const takenAt = clock.now()
    if (granted === 0) {
      if (empty.size > MAX_GRANTS) empty.clear()
      empty.set(name, retryAtMs)
      return
    }
    empty.delete(name)
    if (grants.size > MAX_GRANTS) dropExpired(grants, takenAt)
    grants.set(name, { tokens: granted, expiresAt: takenAt + grantMs, left, takenAt })
  }

  /** What the last take said, and what this process holds of it. Undefined if it is too old. */
  const leftAfterTake = ({ name, size }: Bucket, nowMs: number): RemainingCapacity | undefined => {
    const grant = grants.get(name)
    if (grant === undefined || grant.takenAt + LEFT_TTL_MS <= nowMs) return undefined
    const { tokens, blockedUntil } = grant.left
    const refilled = tokens + Math.max(0, nowMs - grant.takenAt) * size.perMs + grant.tokens
    return { tokens: Math.min(size.burst, refilled), blockedUntil }
  }

  /** One refill at a time per bucket: concurrent callers share it. */
  const sharing = (asked: Asked, refilling: Promise<Grant>): Promise<Grant> => {
    const refilled = refilling
      .then((grant) => {
        hold(asked.from, grant)
        return grant
      })
      .finally(() => refills.delete(asked.key))
    refills.set(asked.key, refilled)
    return refilled
  }

  /** Refills all of a call's buckets that need it with one statement. Those that then have nothing are refused one by one. */
  async function refillTogether(several: readonly Asked[]): Promise<void> {
    const lacking = several.filter(
      ({ from, weight, key }) => held(from.name, weight) === undefined && !refills.has(key),
    )
    // A person without calls left takes none from the app's bucket.
    if (lacking.length < 2 || lacking.some(({ from }) => (empty.get(from.name) ?? 0) > clock.now())) return
    const grants = takeFromSeveral(database, lacking.map(takeOf), clock.now())
    await Promise.all(
      lacking.map((asked, i) =>
        sharing(
          asked,
          grants.then((all) => all[i]!),
        ),
      ),
    )
  }

  async function take(asked: Asked): Promise<Wait> {
    const { from, weight } = asked
    for (;;) {
      const grant = held(from.name, weight)
      if (grant !== undefined) {
        grant.tokens -= weight
        return { untilMs: undefined }
      }
      const pending = refills.get(asked.key)
      const refilled = pending ?? sharing(asked, takeTokens(database, takeOf(asked), clock.now()))
      const { granted, retryAtMs } = await refilled
      if (granted === 0) return { untilMs: retryAtMs, ...(from.isPartial ? { isPartial: true } : {}) }
    }
  }

  return {
    tryAcquire: async (appId, connector, purpose, profileId, server, cost = PLAIN_CALL) => {
      const buckets = bucketsOf({ appId, connector, profileId, server }, cost)
      const asked = buckets.map((from): Asked => {
        const reserved = purpose === 'person' ? 0 : interactiveReserve(connector, from.size)
        const weight = weightIn(from, cost)
        return { from, reserved, weight, key: `${from.name} ${reserved} ${weight}` }
      })
      await refillTogether(asked)
      const taken: Asked[] = []
      for (const each of asked) {
        const wait = await take(each)
        if (wait.untilMs !== undefined) {
          // Return the tokens of the other buckets, because no call is made.
          for (const { from, weight } of taken) {
            const grant = grants.get(from.name)
            if (grant !== undefined) grant.tokens += weight
          }
          return wait
        }
        taken.push(each)
      }
      return { untilMs: undefined }
    },
    takeHeld: (appId, connector, profileId, server, cost = PLAIN_CALL) => {
      const buckets = bucketsOf({ appId, connector, profileId, server }, cost)
      if (!buckets.every((each) => held(each.name, weightIn(each, cost)) !== undefined)) return false
      for (const each of buckets) grants.get(each.name)!.tokens -= weightIn(each, cost)
      return true
    },
    block: async (appId, connector, untilMs, profileId, server, whom) => {
      if (Number.isNaN(untilMs)) return
      const name = blocked({ appId, connector, profileId, server }, whom)
      grants.delete(name)
      const nowMs = clock.now()
      await blockRateLimit(database, name, Math.ceil(Math.min(untilMs, nowMs + MAX_BLOCK_MS)), nowMs)
    },
    left: async (appId, connector, profileId, server, cost = PLAIN_CALL) => {
      const nowMs = clock.now()
      const buckets = bucketsOf({ appId, connector, profileId, server }, cost)
      const known = buckets.map((each) => leftAfterTake(each, nowMs)).filter((left) => left !== undefined)
      const left =
        known.length === buckets.length ? known : [...(await readRateLimits(database, buckets, nowMs)).values()]
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

/** What a call takes from one bucket. */
interface Asked {
  from: Bucket
  reserved: number
  weight: number
  /** Callers who ask for the same share a refill. */
  key: string
}

function takeOf({ from, reserved, weight }: Asked): Take {
  const { name, size, grantMs } = from
  const wanted = Math.max(weight, Math.min(size.burst, Math.ceil((size.perMs * grantMs) / 2)))
  return { bucket: name, size, wanted, least: weight, reserved }
}

/** No call weighs more than a whole window. */
function weightIn({ size }: Bucket, { weight }: CallCost): number {
  return Math.min(weight, Math.max(1, Math.floor(size.burst)))
}

/** The bucket to block. */
function blocked(caller: Parameters<typeof personBucket>[0], whom: { group: string } | 'everybody' | undefined) {
  if (whom === 'everybody') return serviceBucket(caller)
  const isOfApp = caller.profileId === undefined
  const name = isOfApp ? appBucket(caller) : personBucket(caller)
  return whom === undefined ? name : groupBucket(name, whom.group)
}

function dropExpired(grants: Map<string, HeldGrant>, nowMs: number): void {
  for (const [name, { expiresAt }] of grants) if (expiresAt <= nowMs) grants.delete(name)
}
