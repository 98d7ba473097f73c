import type { RateLimitInfo } from '#kit/connector.ts'

/** Calls of the app are counted by the hour and by the day; the headers tell the seconds that are left of each. */
export function rate(headers: Record<string, string>, nowMs: number): RateLimitInfo | undefined {
  const windows = ['perhour', 'perday'].flatMap((window) => {
    const remaining = wholeNumber(headers[`x-ratelimit-${window}-remaining`])
    const resetS = wholeNumber(headers[`x-ratelimit-${window}-reset`])
    return remaining === undefined || resetS === undefined ? [] : [{ remaining, resetAtMs: nowMs + resetS * 1000 }]
  })
  // Of two that are used up, the one that lasts longer counts.
  return windows.sort((a, b) => a.remaining - b.remaining || b.resetAtMs - a.resetAtMs)[0]
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined
}
