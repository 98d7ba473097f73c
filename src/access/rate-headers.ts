// Reads the rate limits that a response states, with the connector’s reader.

import type { Connector, RateLimitInfo } from '#kit/connector/connector.ts'
import { boundedWaitMs } from '#platform/formats/retry-after.ts'

/** Reads the rate limits that a response states with the connector's reader, and bounds the time of the reset. */
export function readRateHeaders(
  { api }: Pick<Connector, 'api'>,
  { headers, body, stated }: { headers: Record<string, string>; body?: unknown; stated?: RateLimitInfo | undefined },
  nowMs: number,
  onReaderError: (error: unknown) => void,
): RateLimitInfo | undefined {
  const info = stated ?? readOrReport(() => api.rate?.(headers, nowMs, body), onReaderError)
  if (info === undefined) return undefined
  const waitMs = info.resetAtMs === undefined ? undefined : boundedWaitMs(info.resetAtMs - nowMs)
  return { ...info, resetAtMs: waitMs === undefined ? undefined : nowMs + waitMs }
}

function readOrReport(
  read: () => RateLimitInfo | undefined,
  onReaderError: (error: unknown) => void,
): RateLimitInfo | undefined {
  try {
    return read()
  } catch (error) {
    onReaderError(error)
    return undefined
  }
}
