/** A limit that applies to a request, and what is left of it. */
export interface RateLimit {
  /** Names the limit in both headers. ASCII without quotes and backslashes. */
  name: string
  /** How much is allowed in a window. */
  quota: number
  windowS: number
  remaining: number
  /** When more is available; absent if that is not known. */
  resetS?: number | undefined
}

/** The fields `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers: lists of RFC 9651. */
export function rateLimitHeaders(limits: readonly RateLimit[]): Record<string, string> {
  if (limits.length === 0) return {}
  const left = limits.map(
    ({ name, remaining, resetS }) => `"${name}";r=${remaining}${resetS === undefined ? '' : `;t=${resetS}`}`,
  )
  const policies = limits.map(({ name, quota, windowS }) => `"${name}";q=${quota};w=${windowS}`)
  return { ratelimit: left.join(', '), 'ratelimit-policy': policies.join(', ') }
}
