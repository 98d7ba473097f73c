import type { ServiceClock } from '../../base/clock.ts'
import type { RateLimitSettings } from '../../base/rate-limit.ts'
import { Refusal, type Reply } from '../../base/reply.ts'
import { applySettings, isNumber } from '../../base/settings.ts'
import { githubError } from './errors.ts'

export interface GithubLimitSettings extends RateLimitSettings {
  /** The secondary limit: requests per minute and person. */
  perMinute: number
  /** Separate limit for searches, per minute and person. */
  searchPerMinute: number
}

export type Resource = 'core' | 'search'

export interface GithubLimits {
  settings: GithubLimitSettings
  configure(changes: Record<string, unknown>): void
  /** Counts one request; `refund` undoes it for a 304 response. */
  acquire(
    personId: string,
    resource?: Resource,
  ): { headers: Record<string, number | string>; refund(): Record<string, number | string> }
  standing(personId: string, resource?: Resource): { limit: number; used: number; remaining: number; reset: number }
}

interface Window {
  window: number
  count: number
}

/** Beyond the primary limit: 403 with `remaining: 0`. Beyond the secondary limit: 403 with Retry-After. */
export function createGithubLimits(clock: ServiceClock): GithubLimits {
  const settings: GithubLimitSettings = { limit: 5000, windowSeconds: 3600, perMinute: 900, searchPerMinute: 30 }
  const primary = new Map<string, Window>()
  const secondary = new Map<string, Window>()
  const current = (windows: Map<string, Window>, key: string, windowMs: number): Window => {
    const window = Math.floor(clock.now() / windowMs)
    const before = windows.get(key)
    const entry = before?.window === window ? before : { window, count: 0 }
    windows.set(key, entry)
    return entry
  }
  const allowed = (resource: Resource) =>
    resource === 'core'
      ? { limit: settings.limit, windowMs: settings.windowSeconds * 1000 }
      : { limit: settings.searchPerMinute, windowMs: 60_000 }
  const standing = (personId: string, resource: Resource = 'core') => {
    const { limit, windowMs } = allowed(resource)
    const { window, count } = current(primary, `${resource} ${personId}`, windowMs)
    const used = Math.min(count, limit)
    const reset = Math.ceil(((window + 1) * windowMs) / 1000)
    return { limit, used, remaining: limit - used, reset }
  }
  const headersOf = (personId: string, resource: Resource) => {
    const { limit, remaining, reset, used } = standing(personId, resource)
    return {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
      'x-ratelimit-used': used,
      'x-ratelimit-resource': resource,
    }
  }
  const refuse = (message: string, headers: Record<string, number | string>): Refusal => {
    const reply: Reply = githubError(403, message, {}, '/rest/overview/rate-limits-for-the-rest-api')
    return new Refusal({ ...reply, headers: { ...reply.headers, ...headers } })
  }
  return {
    settings,
    configure: (changes) =>
      void applySettings(settings, changes, {
        limit: isNumber,
        windowSeconds: isNumber,
        perMinute: isNumber,
        searchPerMinute: isNumber,
      }),
    standing,
    acquire(personId, resource = 'core') {
      const { limit, windowMs } = allowed(resource)
      const entry = current(primary, `${resource} ${personId}`, windowMs)
      const burst = current(secondary, personId, 60_000)
      burst.count += 1
      if (burst.count > settings.perMinute)
        throw refuse('You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', {
          ...headersOf(personId, resource),
          'retry-after': 60,
        })
      if (entry.count >= limit)
        throw refuse(`API rate limit exceeded for user ID ${personId}.`, headersOf(personId, resource))
      entry.count += 1
      return {
        headers: headersOf(personId, resource),
        refund() {
          entry.count -= 1
          return headersOf(personId, resource)
        },
      }
    },
  }
}
