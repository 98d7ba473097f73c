/** Limit: wait that a service or destination may ask for (Retry-After, the reset of a rate limit); a longer one is cut to this. */
export const MAX_WAIT_MS = 86_400_000

/** How long a service asks us to wait: seconds or a date in `Retry-After`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim()
  if (text === undefined || text === '') return undefined
  return boundedWaitMs(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs)
}

/** A wait that somebody outside names: never negative, never longer than a day; undefined when it is no number. */
export function boundedWaitMs(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : Math.ceil(Math.min(Math.max(ms, 0), MAX_WAIT_MS))
}
