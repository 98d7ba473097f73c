import type { ServiceClock } from '../../base/clock.ts'
import type { OpenWindow } from '../../base/windows.ts'
import { declareLimits } from '../../declare/limits.ts'
import { githubError } from './errors.ts'

const beyondSecondary = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'

export type Resource = 'core' | 'search'
export type GithubLimits = ReturnType<typeof createGithubLimits>

/** Beyond the primary limit: 403 with `remaining: 0`. Beyond the secondary limit: 403 with Retry-After. */
export function createGithubLimits(clock: ServiceClock) {
  /** `perMinute` is the secondary limit per person, refused with 403 or 429; searches have a limit of their own. */
  const settings = { limit: 5000, windowSeconds: 3600, perMinute: 900, searchPerMinute: 30, secondaryStatus: 403 }
  const limitOf = (resource: Resource) => (resource === 'core' ? settings.limit : settings.searchPerMinute)
  const refused = (message: string, status = 403) =>
    githubError(status, message, {}, '/rest/overview/rate-limits-for-the-rest-api')
  const limits = declareLimits(clock, {
    settings,
    count(windows, personId: string, resource: Resource) {
      const burst = windows(`burst ${personId}`, 60_000)
      burst.count += 1
      if (burst.count > settings.perMinute)
        return {
          headers: { ...headersOf(personId, resource), 'retry-after': '60' },
          refusal: refused(beyondSecondary, settings.secondaryStatus),
        }
      const window = windowOf(personId, resource)
      if (window.count >= limitOf(resource))
        return {
          headers: headersOf(personId, resource),
          refusal: refused(`API rate limit exceeded for user ID ${personId}.`),
        }
      window.count += 1
      return { headers: headersOf(personId, resource) }
    },
  })
  const windowOf = (personId: string, resource: Resource): OpenWindow =>
    limits.windows(`${resource} ${personId}`, resource === 'core' ? settings.windowSeconds * 1000 : 60_000)
  const standing = (personId: string, resource: Resource) => {
    const { count, endMs } = windowOf(personId, resource)
    const limit = limitOf(resource)
    const used = Math.min(count, limit)
    return { limit, used, remaining: limit - used, reset: Math.ceil(endMs / 1000) }
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
  return {
    ...limits,
    standing,
    /** A 304 response is not counted. */
    refund(personId: string, resource: Resource) {
      windowOf(personId, resource).count -= 1
      return headersOf(personId, resource)
    },
  }
}
