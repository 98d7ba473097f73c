import type { ServiceClock } from '../../base/clock.ts'
import { declareLimits } from '../../declare/limits.ts'
import { apiError } from './envelope.ts'

export type FoursquareLimits = ReturnType<typeof createFoursquareLimits>

/** Limits are refused with 403. The reset time is sent only when the limit is exceeded. */
export function createFoursquareLimits(clock: ServiceClock) {
  const settings = { limit: 500, windowSeconds: 3600 }
  return declareLimits(clock, {
    settings,
    count(windows, key: string) {
      const window = windows(key, settings.windowSeconds * 1000)
      window.count += 1
      const headers = {
        'x-ratelimit-limit': settings.limit,
        'x-ratelimit-remaining': Math.max(0, settings.limit - window.count),
      }
      if (window.count <= settings.limit) return { headers }
      const refusal = apiError(403, 'rate_limit_exceeded', 'Quota exceeded').reply
      return { headers: { ...headers, 'x-ratelimit-reset': Math.ceil(window.endMs / 1000) }, refusal }
    },
  })
}
