import type { Connector, RateLimitInfo } from '#kit/connector.ts'
import { boundedWaitMs } from '#platform/retry-after.ts'

/** What the headers of a response say of the service's limits, with a reset that we are ready to wait for. */
export function readRateHeaders(
  { api }: Pick<Connector, 'api'>,
  headers: Record<string, string>,
  nowMs: number,
): RateLimitInfo | undefined {
  const news = readQuietly(() => api.rate?.(headers, nowMs))
  if (news === undefined) return undefined
  const waitMs = news.resetAtMs === undefined ? undefined : boundedWaitMs(news.resetAtMs - nowMs)
  return { ...news, resetAtMs: waitMs === undefined ? undefined : nowMs + waitMs }
}

function readQuietly(read: () => RateLimitInfo | undefined): RateLimitInfo | undefined {
  try {
    return read()
  } catch {
    // A reader that stumbles over odd headers has learned nothing of limits; the response itself may be good.
    return undefined
  }
}
