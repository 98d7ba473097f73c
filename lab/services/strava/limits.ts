import type { ServiceClock } from '../../base/clock.ts'
import { Refusal, type Reply } from '../../base/reply.ts'
import { applySettings, isNumber } from '../../base/settings.ts'
import { fault } from './fault.ts'

export interface StravaLimitSettings {
  quarter: number
  day: number
  readQuarter: number
  readDay: number
}

export interface StravaLimits {
  settings: StravaLimitSettings
  configure(changes: Record<string, unknown>): void
  /** Counts a read of an app. */
  acquire(app: string): (reply: Reply) => Reply
}

const quarterMs = 15 * 60_000
const dayMs = 86_400_000

/** Per app, with natural windows: they end at each quarter of an hour and at midnight UTC. Refused calls count too. */
export function createStravaLimits(clock: ServiceClock): StravaLimits {
  const settings: StravaLimitSettings = { quarter: 200, day: 2000, readQuarter: 100, readDay: 1000 }
  const windows = new Map<string, { window: number; count: number }>()
  const count = (key: string, windowMs: number) => {
    const window = Math.floor(clock.now() / windowMs)
    const before = windows.get(key)
    const entry = { window, count: before?.window === window ? before.count + 1 : 1 }
    windows.set(key, entry)
    return entry.count
  }
  return {
    settings,
    configure: (changes) =>
      void applySettings(settings, changes, {
        quarter: isNumber,
        day: isNumber,
        readQuarter: isNumber,
        readDay: isNumber,
      }),
    acquire(app) {
      const [quarter, day] = [count(`quarter ${app}`, quarterMs), count(`day ${app}`, dayMs)]
      const headers = {
        'x-ratelimit-limit': `${settings.quarter},${settings.day}`,
        'x-ratelimit-usage': `${quarter},${day}`,
        'x-readratelimit-limit': `${settings.readQuarter},${settings.readDay}`,
        'x-readratelimit-usage': `${quarter},${day}`,
      }
      const withHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...headers, ...reply.headers } })
      const isOver =
        quarter > Math.min(settings.quarter, settings.readQuarter) || day > Math.min(settings.day, settings.readDay)
      if (isOver) {
        const field = quarter > settings.quarter || day > settings.day ? 'rate limit' : 'read rate limit'
        throw new Refusal(withHeaders(fault(429, 'Rate Limit Exceeded', 'Application', field, 'exceeded').reply))
      }
      return withHeaders
    },
  }
}
