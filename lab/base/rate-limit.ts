import type { ServiceClock } from './clock.ts'
import { json, Refusal, type Reply } from './reply.ts'
import { applySettings, isNumber } from './settings.ts'

export interface RateLimitSettings {
  limit: number
  windowSeconds: number
}

/** Fixed windows per person, reported in X-RateLimit headers of every response. */
export interface RateLimit {
  settings: RateLimitSettings
  acquire(key: string): (reply: Reply) => Reply
}

export function createRateLimit(clock: ServiceClock, settings: RateLimitSettings): RateLimit {
  const windows = new Map<string, { window: number; count: number }>()
  return {
    settings,
    acquire(key) {
      const windowMs = settings.windowSeconds * 1000
      const window = Math.floor(clock.now() / windowMs)
      const before = windows.get(key)
      const count = before?.window === window ? before.count + 1 : 1
      windows.set(key, { window, count })
      const resetMs = (window + 1) * windowMs
      const headers = {
        'x-ratelimit-limit': settings.limit,
        'x-ratelimit-remaining': Math.max(0, settings.limit - count),
        'x-ratelimit-reset': Math.ceil(resetMs / 1000),
      }
      if (count > settings.limit) {
        const waitSeconds = Math.max(1, Math.ceil((resetMs - clock.now()) / 1000))
        throw new Refusal(json(429, { error: 'rate_limited' }, { ...headers, 'retry-after': String(waitSeconds) }))
      }
      return (reply) => ({ ...reply, headers: { ...headers, ...reply.headers } })
    },
  }
}

/** Adds the setting `rateLimit` to the settings of an authorization server. */
export function withRateLimitSettings(
  rateLimit: RateLimit,
  server: { settings: object; configure(changes: Record<string, unknown>): void },
): { settings(): object; configure(changes: Record<string, unknown>): void } {
  return {
    settings: () => ({ ...server.settings, rateLimit: rateLimit.settings }),
    configure({ rateLimit: limits, ...rest }) {
      server.configure(rest)
      if (typeof limits === 'object' && limits !== null)
        applySettings(rateLimit.settings, { ...limits }, { limit: isNumber, windowSeconds: isNumber })
    },
  }
}
