import type { Api, RateLimitInfo } from '#kit/connector/connector.ts'

const QUARTER_MS = 15 * 60_000
const DAY_MS = 86_400_000

interface Failure {
  errors?: { resource?: string; field?: string; code?: string }[]
}

/**
 * Two windows, each in two headers with two values: `X-RateLimit-Limit: 200,2000` and `X-RateLimit-Usage: 12,340` for all calls,
 * `X-ReadRateLimit-…` for reads. They end at each quarter of an hour and at midnight UTC.
 */
function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const windows = ['x-ratelimit', 'x-readratelimit'].flatMap((name) => {
    const [limits, used] = [pair(headers[`${name}-limit`]), pair(headers[`${name}-usage`])]
    if (limits === undefined || used === undefined) return []
    return [QUARTER_MS, DAY_MS].map((lengthMs, i) => ({
      remaining: Math.max(0, limits[i]! - used[i]!),
      resetAtMs: (Math.floor(nowMs / lengthMs) + 1) * lengthMs,
    }))
  })
  // If several are used up, the last reset counts.
  return windows.sort((a, b) => a.remaining - b.remaining || b.resetAtMs - a.resetAtMs)[0]
}

function pair(text: string | undefined): [number, number] | undefined {
  const [, short, long] = /^\s?(\d{1,10})\s?,\s?(\d{1,10})\s?$/.exec(text ?? '') ?? []
  return short === undefined || long === undefined ? undefined : [Number(short), Number(long)]
}

export const api: Api = {
  baseUrl: 'https://www.strava.com/api/v3',
  tokenPlaces: { form: ['access_token'] },
  // https://developers.strava.com/docs/rate-limits; all calls but uploads count as reads at Strava.
  limits: {
    app: [
      { calls: 200, perS: 900 },
      { calls: 2000, perS: 86_400 },
      { calls: 100, perS: 900, reads: true },
      { calls: 1000, perS: 86_400, reads: true },
    ],
  },
  rate,
  // A scope that was not granted is 401 like a token that was refused, and names the permission.
  recovery: ({ status, body }) => {
    const errors = (body as Failure | null | undefined)?.errors
    const isMissing =
      Array.isArray(errors) && errors.some(({ field, code }) => code === 'missing' && isPermission(field))
    return status === 401 && isMissing ? 'not_granted' : undefined
  },
}

function isPermission(field: unknown): boolean {
  return typeof field === 'string' && field.endsWith('_permission')
}
