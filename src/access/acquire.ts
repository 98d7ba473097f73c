// Waits for the rate limiter before a call to a service.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { LimitedCall } from './learn-limits.ts'
import type { CallPurpose, RateLimiter } from './rate-limiter.ts'

export interface AcquireOptions {
  purpose: CallPurpose
  /** If the wait would be longer, acquiring fails at once with the reason `capacity`, or `capacity_here` if other endpoints may
   * still be called. */
  maxWaitMs: number
  /** Aborts the wait. The signal is read only if there is a wait, because most calls do not need one. */
  until: { readonly signal: AbortSignal }
}

/** Limit: shortest wait before the next attempt to acquire; shorter ones are extended to this, to avoid a busy loop. */
const MIN_WAIT_MS = 5

/** Acquires one call from the rate limiter, waiting for it if necessary. */
export async function acquire(
  { rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock },
  { profile, connector, server, cost }: LimitedCall,
  { purpose, maxWaitMs, until }: AcquireOptions,
): Promise<void> {
  for (;;) {
    const wait = await rateLimiter.tryAcquire(profile.appId, connector, purpose, profile.id, server, cost)
    const { untilMs } = wait
    if (untilMs === undefined) return
    const waitMs = untilMs - clock.now()
    if (waitMs > maxWaitMs)
      throw new UpstreamError('retry', 'The rate limit of this service is reached.', {
        reason: wait.isPartial === true ? 'capacity_here' : 'capacity',
        retryAfterMs: waitMs,
      })
    await sleep(Math.max(waitMs, MIN_WAIT_MS), undefined, { signal: until.signal })
  }
}
