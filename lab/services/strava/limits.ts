import type { ServiceClock } from '../../base/clock.ts'
import { declareLimits } from '../../declare/limits.ts'
import { fault } from './fault.ts'

export type StravaLimits = ReturnType<typeof createStravaLimits>

/** Per app, with natural windows: they end at each quarter of an hour and at midnight UTC. Refused calls count too. */
export function createStravaLimits(clock: ServiceClock) {
  const settings = { quarter: 200, day: 2000, readQuarter: 100, readDay: 1000 }
  return declareLimits(clock, {
    settings,
    count(windows, app: string) {
      const counted = (key: string, lengthMs: number) => (windows(`${key} ${app}`, lengthMs).count += 1)
      const [quarter, day] = [counted('quarter', 15 * 60_000), counted('day', 86_400_000)]
      const isOver =
        quarter > Math.min(settings.quarter, settings.readQuarter) || day > Math.min(settings.day, settings.readDay)
      const field = quarter > settings.quarter || day > settings.day ? 'rate limit' : 'read rate limit'
      return {
        headers: {
          'x-ratelimit-limit': `${settings.quarter},${settings.day}`,
          'x-ratelimit-usage': `${quarter},${day}`,
          'x-readratelimit-limit': `${settings.readQuarter},${settings.readDay}`,
          'x-readratelimit-usage': `${quarter},${day}`,
        },
        refusal: isOver && fault(429, 'Rate Limit Exceeded', 'Application', field, 'exceeded').reply,
      }
    },
  })
}
