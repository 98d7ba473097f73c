import type { ServiceClock } from '../../base/clock.ts'
import { Refusal, type Reply } from '../../base/reply.ts'
import { applySettings, isNumber } from '../../base/settings.ts'
import { plainProblem } from './problems.ts'

export interface XLimitSettings {
  /** 0 means the documented limit of each endpoint. */
  limit: number
  windowSeconds: number
}

export interface XLimits {
  settings: XLimitSettings
  configure(changes: Record<string, unknown>): void
  acquire(personId: string, endpoint: string, documented: number): (reply: Reply) => Reply
}

/** Limits per endpoint and person in windows of fifteen minutes. The reset time is the only hint how long to wait. */
export function createXLimits(clock: ServiceClock): XLimits {
  const settings: XLimitSettings = { limit: 0, windowSeconds: 900 }
  const windows = new Map<string, { window: number; count: number }>()
  return {
    settings,
    configure: (changes) => void applySettings(settings, changes, { limit: isNumber, windowSeconds: isNumber }),
    acquire(personId, endpoint, documented) {
      const limit = settings.limit === 0 ? documented : settings.limit
      const windowMs = settings.windowSeconds * 1000
      const window = Math.floor(clock.now() / windowMs)
      const key = `${personId} ${endpoint}`
      const before = windows.get(key)
      const count = before?.window === window ? before.count + 1 : 1
      windows.set(key, { window, count })
      const headers = {
        'x-rate-limit-limit': limit,
        'x-rate-limit-remaining': Math.max(0, limit - count),
        'x-rate-limit-reset': Math.ceil(((window + 1) * windowMs) / 1000),
      }
      const withHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...headers, ...reply.headers } })
      if (count > limit) throw new Refusal(withHeaders(plainProblem(429, 'Too Many Requests')))
      return withHeaders
    },
  }
}
