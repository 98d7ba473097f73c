import type { ServiceClock } from '../../base/clock.ts'
import { Refusal, type Reply } from '../../base/reply.ts'
import { applySettings, isNumber } from '../../base/settings.ts'
import { failure } from './envelope.ts'

export interface TumblrLimitSettings {
  perHour: number
  perDay: number
}

export interface TumblrLimits {
  settings: TumblrLimitSettings
  configure(changes: Record<string, unknown>): void
  acquire(consumerKey: string): (reply: Reply) => Reply
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Per app, not per person; the reset headers count down in seconds. */
export function createTumblrLimits(clock: ServiceClock): TumblrLimits {
  const settings: TumblrLimitSettings = { perHour: 1000, perDay: 5000 }
  const windows = new Map<string, { window: number; count: number }>()
  const count = (key: string, windowMs: number) => {
    const window = Math.floor(clock.now() / windowMs)
    const before = windows.get(key)
    const entry = { window, count: before?.window === window ? before.count + 1 : 1 }
    windows.set(key, entry)
    return { used: entry.count, reset: Math.ceil(((window + 1) * windowMs - clock.now()) / 1000) }
  }
  return {
    settings,
    configure: (changes) => void applySettings(settings, changes, { perHour: isNumber, perDay: isNumber }),
    acquire(consumerKey) {
      const [hour, day] = [count(`hour ${consumerKey}`, hourMs), count(`day ${consumerKey}`, dayMs)]
      const headers = {
        'x-ratelimit-perday-limit': settings.perDay,
        'x-ratelimit-perday-remaining': Math.max(0, settings.perDay - day.used),
        'x-ratelimit-perday-reset': day.reset,
        'x-ratelimit-perhour-limit': settings.perHour,
        'x-ratelimit-perhour-remaining': Math.max(0, settings.perHour - hour.used),
        'x-ratelimit-perhour-reset': hour.reset,
      }
      const withHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...headers, ...reply.headers } })
      if (hour.used > settings.perHour || day.used > settings.perDay)
        throw new Refusal(withHeaders(failure(429, 'Too many requests with this consumer key')))
      return withHeaders
    },
  }
}
