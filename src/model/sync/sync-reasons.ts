import { keysOf } from '#platform/formats/keys-of.ts'
import { UPSTREAM_REASONS, type UpstreamReason } from './upstream-reasons.ts'

/**
 * Why an endpoint of a profile was not read to its end, or is not read now: a failure at the service, or one of ours.
 */
export type SyncReason = UpstreamReason | 'quota_reached' | 'worker_died'

/** The service said how long to wait: even a requested sync waits. */
export const WAITING_REASONS = ['rate_limited', 'rate_limited_here'] as const satisfies SyncReason[]

/** A scope that the person did not grant, and a price that the app did not accept, are not failures. */
export function isFailure(reason: SyncReason): boolean {
  return reason !== 'scope_missing' && reason !== 'priced'
}

/** Every reason why an endpoint may not be read. */
export const SYNC_REASONS: readonly SyncReason[] = [
  ...keysOf(UPSTREAM_REASONS),
  'quota_reached',
  'scope_missing',
  'worker_died',
]

export const FAILURES: readonly SyncReason[] = SYNC_REASONS.filter(isFailure)
