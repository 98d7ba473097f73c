import type { RateLimitInfo } from './connector.ts'

/** How a header says when a window ends: the time since 1970, how long it still lasts, or a date. */
export const RESET_UNITS = ['epoch', 'epoch_ms', 'in_s', 'in_ms', 'date'] as const

/**
 * An `api.rate` for services that send the remaining calls and the end of the window in headers, by default in epoch seconds. Header
 * names are lower case: `rateFrom({ remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' })`.
 */
export function rateFrom(names: {
  remaining: string
  reset: string
  unit?: (typeof RESET_UNITS)[number]
  of?: RateLimitInfo['of']
}): (headers: Record<string, string>, nowMs?: number) => RateLimitInfo | undefined {
  return (headers, nowMs) => {
    const remaining = wholeNumber(headers[names.remaining])
    const resetAtMs = resetIn(headers[names.reset], names.unit ?? 'epoch', nowMs)
    if (remaining === undefined && resetAtMs === undefined) return undefined
    return { remaining, resetAtMs, of: names.of }
  }
}

function resetIn(
  text: string | undefined,
  unit: (typeof RESET_UNITS)[number],
  nowMs: number | undefined,
): number | undefined {
  if (text === undefined) return undefined
  if (unit === 'date') return Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text)
  const number = wholeNumber(text)
  if (number === undefined) return undefined
  const ms = unit === 'epoch' || unit === 'in_s' ? number * 1000 : number
  if (unit === 'epoch' || unit === 'epoch_ms') return ms
  return nowMs === undefined ? undefined : nowMs + ms
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(text) ? Math.floor(Number(text)) : undefined
}
