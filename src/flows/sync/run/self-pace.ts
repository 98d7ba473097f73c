import { createHash } from 'node:crypto'
import type { Endpoint } from '#kit/endpoints/endpoint.ts'

const HOUR_MS = 3_600_000
/** Limit: shortest time between two reads of a person's record because a handle does not work; earlier, the failure stays. */
const MIN_HANDLE_CHECK_MS = 6 * HOUR_MS
/** Limit: shortest wait for the next read of a person's record, also when the last one could not be made. */
const MIN_SELF_WAIT_MS = HOUR_MS

/**
 * When a person's record is read next. `readAt`: when it was requested last, or read at the sign-in. People differ by up to a
 * quarter, so that they spread.
 */
export function selfDueAt(profileId: string, readAt: number, everyMs: number): number {
  const share = createHash('sha256').update(profileId).digest().readUInt32BE() / 2 ** 32
  return Math.round(readAt + everyMs * (0.75 + share / 2))
}

/** When a run for it is scheduled, at the end of a run that may have failed to read it. */
export function nextSelfRun(profileId: string, readAt: number, everyMs: number, nowMs: number): number {
  return Math.max(selfDueAt(profileId, readAt, everyMs), nowMs + MIN_SELF_WAIT_MS)
}

/** What a service answers where a handle in the request names nobody (any more); searches answer 422. */
const UNKNOWN_HANDLE = new Set([404, 410, 422])

/** Whether a failed call may be due to an outdated handle, and the person's record was not read recently. */
export function isHandleSuspect(
  endpoint: Endpoint,
  status: number | undefined,
  readAt: number,
  nowMs: number,
): boolean {
  return UNKNOWN_HANDLE.has(status ?? 0) && usesHandle(endpoint) && nowMs - readAt >= MIN_HANDLE_CHECK_MS
}

export function usesHandle({ path, query }: Endpoint): boolean {
  return [path, ...Object.values(query)].some((text) => text.includes('{handle}'))
}
