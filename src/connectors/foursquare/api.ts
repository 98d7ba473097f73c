import type { Api } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'

interface Meta {
  errorType?: string
}

// Without `deprecated`, which successful responses have too.
const RECOVERY_BY_ERROR_TYPE: Record<string, 'retry' | 'reauthorize' | 'skip'> = {
  invalid_auth: 'reauthorize',
  rate_limit_exceeded: 'retry',
  quota_exceeded: 'retry',
  server_error: 'retry',
  not_authorized: 'skip',
}

/** `v` is the date of the API version and is required. `m` selects the responses for Swarm. */
export const api: Api = {
  baseUrl: 'https://api.foursquare.com/v2',
  tokenPlaces: { query: ['oauth_token'] },
  query: { v: '20260801', m: 'swarm' },
  // Per token and group of endpoints, which is the first part of the path: `users`, `checkins`, `lists`.
  limits: { person: { calls: 500, perS: 3600, per: 'group' } },
  group: (path) => path.split('/').find((part) => part !== ''),
  rate: rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'group' }),
  recovery: ({ status, body, headers }) => {
    const { errorType = '' } = (body as { meta?: Meta } | null | undefined)?.meta ?? {}
    const meaning = Object.hasOwn(RECOVERY_BY_ERROR_TYPE, errorType) ? RECOVERY_BY_ERROR_TYPE[errorType] : undefined
    // Over the limit the status is 403, and the response may have only the time of the reset.
    return meaning ?? (status === 403 && headers['x-ratelimit-remaining'] === '0' ? 'retry' : undefined)
  },
}
