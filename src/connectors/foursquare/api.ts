import type { Api } from '#kit/connector.ts'
import { rateFrom } from '#kit/rate.ts'

interface Meta {
  errorType?: string
}

// `deprecated` comes with good answers, so it is not here.
const MEANINGS: Record<string, 'retry' | 'reauthorize' | 'skip'> = {
  invalid_auth: 'reauthorize',
  rate_limit_exceeded: 'retry',
  quota_exceeded: 'retry',
  server_error: 'retry',
  not_authorized: 'skip',
}

/** `v` says as of which day we know the API; without it every call is refused. `m` asks for what Swarm shows. */
export const api: Api = {
  baseUrl: 'https://api.foursquare.com/v2',
  query: { v: '20260801', m: 'swarm' },
  // Of each group of endpoints, for each token.
  limits: { person: { calls: 500, perS: 3600 } },
  rate: rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset', of: 'person' }),
  recovery: ({ status, body, headers }) => {
    const { errorType = '' } = (body as { meta?: Meta } | null | undefined)?.meta ?? {}
    const meaning = Object.hasOwn(MEANINGS, errorType) ? MEANINGS[errorType] : undefined
    // Over the limit is a 403, and may come with nothing in it but the time of the reset.
    return meaning ?? (status === 403 && headers['x-ratelimit-remaining'] === '0' ? 'retry' : undefined)
  },
}
