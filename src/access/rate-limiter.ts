import type { Connector } from '#kit/connector.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { type BucketSize, blockRateLimit, type Grant, readRateLimits, takeTokens } from '#store/sync/rate-limits.ts'

/** Stay this far under what a service allows: its clock is not ours. */
const SHARE = 0.93
/** Kept free for calls that somebody waits for. */
const HEADROOM = 0.1
/**
 * How long a process may spend what it took at once, which is lost then; and how much of a window may be spent at once, the
 * rest coming evenly. One person's calls are made by one worker at a time, many at first and few ever after.
 */
const SHARED_POLICY: BucketPolicy = { grantMs: 1000, burstShare: 0.1 }
const PERSON_POLICY: BucketPolicy = { grantMs: 20_000, burstShare: 0.5 }
/** Services that say nothing of limits still get no more than this from one app. */
const DEFAULT = { calls: 3000, perS: 60 }
/** More than anybody can call: such a bucket is only there to be blocked. The long window keeps one grant from emptying it. */
const UNLIMITED = { calls: 1_000_000_000, perS: 1000 }
/** Limit: rate limiter buckets held in memory; then those that are over are dropped. */
const MAX_HELD = 20_000

/** Limit: time for which a service may block all of an app's calls, or those to one person's own server; a longer block is cut to this. */
const MAX_APP_BLOCK_MS = 3_600_000
/** Limit: time for which a service may block the calls of one person; a longer block is cut to this. */
const MAX_PERSON_BLOCK_MS = 86_400_000

/** `person`: somebody waits for the response. */
export type Purpose = 'sync' | 'person'

export interface Wait {
  /** Undefined: call now. */
  untilMs: number | undefined
}

/** Who may call a service how often. Buckets are shared by all processes and spent in small grants. */
export interface RateLimiter {
  /**
   * One call by this app, and in the name of this profile where one is named.
   * `server` is the person's own, where the service has many: then calls are counted for each server by itself.
   */
  tryAcquire(appId: string, connector: Connector, purpose: Purpose, profileId?: string, server?: string): Promise<Wait>
  /** The service answered 429, or said that nothing is left: to one profile where one is named, else at one server, else to all of the app. */
  block(appId: string, connector: Connector, untilMs: number, profileId?: string, server?: string): Promise<void>
  /** Calls that may be made at this moment: by the app, and in the name of this profile where one is named. */
  left(appId: string, connector: Connector, profileId?: string, server?: string): Promise<number>
  /** About how many syncs of each are worth starting: none where the app is blocked, few where its calls are few. */
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

interface Held {
  tokens: number
  expiresAt: number
}

export function createRateLimiter({ database, clock }: { database: Database; clock: Clock }): RateLimiter {
  const held = new Map<string, Held>()
  const asking = new Map<string, Promise<Grant>>()

  async function refill({ name, size, grantMs }: Bucket, keep: number): Promise<Grant> {
    // One question at a time for each bucket: fifty workers that find it empty need one answer.
    const question = `${name} ${keep}`
    const known = asking.get(question)
    if (known !== undefined) return known
    const want = Math.max(1, Math.min(size.burst, Math.ceil((size.perMs * grantMs) / 2)))
    const reply = takeTokens(database, name, size, want, keep, clock.now())
      .then((grant) => {
        if (grant.granted > 0) {
          if (held.size > MAX_HELD) dropExpired(held, clock.now())
          held.set(name, { tokens: grant.granted, expiresAt: clock.now() + grantMs })
        }
        return grant
      })
      .finally(() => asking.delete(question))
    asking.set(question, reply)
    return reply
  }

  async function takeOne(from: Bucket, keep: number): Promise<Wait> {
    for (;;) {
      const grant = held.get(from.name)
      if (grant !== undefined && grant.tokens >= 1 && grant.expiresAt > clock.now()) {
        grant.tokens -= 1
        return { untilMs: undefined }
      }
      const { granted, retryAtMs } = await refill(from, keep)
      if (granted === 0) return { untilMs: retryAtMs }
    }
  }

  return {
    tryAcquire: async (appId, connector, purpose, profileId, server) => {
      const taken: Bucket[] = []
      for (const each of bucketsOf(appId, connector, profileId, server)) {
        const wait = await takeOne(each, purpose === 'person' ? 0 : headroom(each.size))
        if (wait.untilMs !== undefined) {
          // What the others gave is not lost: no call was made.
          for (const { name } of taken) {
            const grant = held.get(name)
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
      held.delete(name)
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
        // What comes in within a second is as good as there.
        return blockedUntil > nowMs ? 0 : Math.max(0, Math.floor(tokens + size.perMs * 1000 - headroom(size)))
      })
    },
  }
}

const appBucket = (appId: string, { service }: Connector, server?: string): string =>
  server === undefined ? `${appId} ${service}` : `${appId} ${service} @${server}`
const personBucket = (appId: string, { service }: Connector, profileId: string): string =>
  `${appId} ${service} ${profileId}`

/** The narrowest first: a person whose calls are used up costs the app nothing. */
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
    // Without a limit of its own the bucket is only there to be blocked, by headers that may name the person.
    else if (rate !== undefined) buckets.unshift(bucket(name, UNLIMITED, SHARED_POLICY))
  }
  if (limits?.service !== undefined) buckets.push(bucket(`* ${connector.service}`, limits.service, SHARED_POLICY))
  return buckets
}

/** Where only people are limited the app as a whole is not; its bucket is then only there to be blocked. */
function appLimit({ api: { limits } }: Connector): { calls: number; perS: number } {
  return limits?.app ?? (limits?.person === undefined ? DEFAULT : UNLIMITED)
}

/**
 * Whatever the moment a service begins to count, a window sees no more than the burst and what came in meanwhile; a grant
 * taken before it and spent within it counts too.
 */
function bucket(
  name: string,
  { calls, perS }: { calls: number; perS: number },
  { grantMs, burstShare }: BucketPolicy,
): Bucket {
  const allowed = calls * SHARE
  const burst = Math.max(1, allowed * burstShare)
  const perMs = Math.max(allowed - burst, allowed / 2) / (perS * 1000 + grantMs)
  return { name, size: { burst, perMs }, grantMs }
}

// A bucket of a single token has nothing to keep back, or no sync would ever run.
function headroom({ burst }: BucketSize): number {
  return Math.min(burst * HEADROOM, burst - 1)
}

function dropExpired(held: Map<string, Held>, nowMs: number): void {
  for (const [name, { expiresAt }] of held) if (expiresAt <= nowMs) held.delete(name)
}
