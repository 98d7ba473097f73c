import type { ServiceClock } from '../../base/clock.ts'
import { declareLimits } from '../../declare/limits.ts'
import { plainProblem } from './problems.ts'

export type XLimits = ReturnType<typeof createXLimits>

/** Limits per endpoint and person in windows of fifteen minutes. The reset time is the only hint how long to wait. */
export function createXLimits(clock: ServiceClock) {
  /** 0 means the documented limit of each endpoint. */
  const settings = { limit: 0, windowSeconds: 900 }
  return declareLimits(clock, {
    settings,
    count(windows, personId: string, endpoint: string, documented: number) {
      const limit = settings.limit === 0 ? documented : settings.limit
      const window = windows(`${personId} ${endpoint}`, settings.windowSeconds * 1000)
      window.count += 1
      return {
        headers: {
          'x-rate-limit-limit': limit,
          'x-rate-limit-remaining': Math.max(0, limit - window.count),
          'x-rate-limit-reset': Math.ceil(window.endMs / 1000),
        },
        refusal: window.count > limit && plainProblem(429, 'Too Many Requests'),
      }
    },
  })
}
