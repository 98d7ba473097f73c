import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { LimitedCall } from './learn-limits.ts'
import type { Purpose, RateLimiter } from './rate-limiter.ts'

export interface Waiting {
  purpose: Purpose
  /** A longer wait is not begun: it fails with the reason `capacity`. */
  maxWaitMs: number
  /** Ends the wait. Asked for its signal only when there is one: most calls need not wait. */
  until: { readonly signal: AbortSignal }
}

/** Limit: shortest wait before capacity is asked for again; a shorter one is drawn out to this, or it would be a busy loop. */
const MIN_WAIT_MS = 5

/** Resolves when one call may be made. */
export async function acquire(
  { rateLimiter, clock }: { rateLimiter: RateLimiter; clock: Clock },
  { profile, connector, server }: LimitedCall,
  { purpose, maxWaitMs, until }: Waiting,
): Promise<void> {
  for (;;) {
    const { untilMs } = await rateLimiter.tryAcquire(profile.appId, connector, purpose, profile.id, server)
    if (untilMs === undefined) return
    const waitMs = untilMs - clock.now()
    if (waitMs > maxWaitMs)
      throw new UpstreamError('retry', 'The calls that may be made are used up for now.', {
        reason: 'capacity',
        retryAfterMs: waitMs,
      })
    await sleep(Math.max(waitMs, MIN_WAIT_MS), undefined, { signal: until.signal })
  }
}
