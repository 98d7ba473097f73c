import type { RateLimitInfo } from './connector.ts'

/**
 * An `api.rate` for services that send the remaining calls and the end of the window (epoch seconds) in headers. Header names are
 * lower case: `rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' })`.
 */
export function rateFrom(names: {
  remaining: string
  reset: string
  of?: RateLimitInfo['of']
}): (headers: Record<string, string>) => RateLimitInfo | undefined {
  return (headers) => {
    const [remaining, resetS] = [wholeNumber(headers[names.remaining]), wholeNumber(headers[names.reset])]
    if (remaining === undefined && resetS === undefined) return undefined
    return { remaining, resetAtMs: resetS === undefined ? undefined : resetS * 1000, of: names.of }
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
