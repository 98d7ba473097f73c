/** Limit: wait that a service or destination may ask for (Retry-After, the reset of a rate limit); a longer one is shortened to this. */
export const MAX_WAIT_MS = 86_400_000

/** The wait that `Retry-After` asks for, given in seconds or as a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (text === undefined || text === '') return undefined
  return boundedWaitMs(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs)
}

/** Bounds a wait that came from outside: not negative, at most a day; undefined for NaN. */
export function boundedWaitMs(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(ms, 0), MAX_WAIT_MS))
}
