import type { RateLimitInfo } from '#kit/connector/connector.ts'

/** Limits are per app, hour and day; the headers have the seconds until each reset. */
export function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const windows = ['perhour', 'perday'].flatMap((window) => {
    const remaining = wholeNumber(headers[`x-ratelimit-${window}-remaining`])
    const resetS = wholeNumber(headers[`x-ratelimit-${window}-reset`])
    return remaining === undefined || resetS === undefined ? [] : [{ remaining, resetAtMs: nowMs + resetS * 1000 }]
  })
  // If both are used up, the later reset counts.
  return windows.sort((a, b) => a.remaining - b.remaining || b.resetAtMs - a.resetAtMs)[0]
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}
