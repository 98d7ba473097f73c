import type { ServiceClock } from './clock.ts'
import { json, Refusal, type Reply, withHeaders } from './reply.ts'
import { applySettings, isNumber } from './settings.ts'
import { createWindows } from './windows.ts'

export interface RateLimitSettings {
  limit: number
  windowSeconds: number
}

/** Fixed windows per person, reported in X-RateLimit headers of every response. */
export interface RateLimit {
  settings: RateLimitSettings
  configure(changes: Record<string, unknown>): void
  acquire(key: string): (reply: Reply) => Reply
}

export function createRateLimit(clock: ServiceClock, settings: RateLimitSettings): RateLimit {
  const windows = createWindows(clock)
  return {
    settings,
    configure: (changes) => void applySettings(settings, changes, { limit: isNumber, windowSeconds: isNumber }),
    acquire(key) {
      const window = windows(key, settings.windowSeconds * 1000)
      window.count += 1
      const { count, endMs: resetMs } = window
      const headers = {
        'x-ratelimit-limit': settings.limit,
        'x-ratelimit-remaining': Math.max(0, settings.limit - count),
        'x-ratelimit-reset': Math.ceil(resetMs / 1000),
      }
      if (count > settings.limit) {
        const waitSeconds = Math.max(1, Math.ceil((resetMs - clock.now()) / 1000))
        throw new Refusal(json(429, { error: 'rate_limited' }, { ...headers, 'retry-after': String(waitSeconds) }))
      }
      return (reply) => withHeaders(reply, headers)
    },
  }
}
