import type { ServiceClock } from '../../base/clock.ts'
import { declareLimits } from '../../declare/limits.ts'
import { failure } from './envelope.ts'

export type TumblrLimits = ReturnType<typeof createTumblrLimits>

/** Per app, not per person; the reset headers count down in seconds. */
export function createTumblrLimits(clock: ServiceClock) {
  const settings = { perHour: 1000, perDay: 5000 }
  return declareLimits(clock, {
    settings,
    count(windows, consumerKey: string) {
      const counted = (unit: 'day' | 'hour', lengthMs: number, limit: number) => {
        const window = windows(`${unit} ${consumerKey}`, lengthMs)
        window.count += 1
        const headers = {
          [`x-ratelimit-per${unit}-limit`]: limit,
          [`x-ratelimit-per${unit}-remaining`]: Math.max(0, limit - window.count),
          [`x-ratelimit-per${unit}-reset`]: Math.ceil((window.endMs - clock.now()) / 1000),
        }
        return { headers, isOver: window.count > limit }
      }
      const day = counted('day', 86_400_000, settings.perDay)
      const hour = counted('hour', 3_600_000, settings.perHour)
      const refusal = (hour.isOver || day.isOver) && failure(429, 'Too many requests with this consumer key')
      return { headers: { ...day.headers, ...hour.headers }, refusal }
    },
  })
}
