/** Why an endpoint of a profile was not read to its end, or is not read right now: one word for each, never parsed from a sentence. */
export const SYNC_REASONS = [
  'address_invalid',
  'address_refused',
  'address_wrong',
  'answer_too_large',
  'answer_unreadable',
  'checkpoint_stuck',
  'connector_fault',
  'credential_damaged',
  'discovery_failed',
  'grant_refused',
  'home_mismatch',
  'issuer_mismatch',
  'keys_refused',
  'no_credential',
  'no_refresh_token',
  'not_found',
  'not_supported',
  'quota_reached',
  'rate_limited',
  'rate_limited_here',
  'redirect_refused',
  'refresh_busy',
  'request_invalid',
  'request_refused',
  'scope_missing',
  'service_failed',
  'service_refused',
  'service_timeout',
  'service_unreachable',
  'subject_changed',
  'subject_missing',
  'token_unbound',
  'unexpected_answer',
  'walk_repeats',
  'worker_died',
  /** A failure that none of these names; its sentence says more. */
  'other',
] as const
export type SyncReason = (typeof SYNC_REASONS)[number]

/** The service said how long to wait: not even a request makes us ask sooner. */
export const WAITING_REASONS = ['rate_limited', 'rate_limited_here'] as const satisfies SyncReason[]

export function syncReason(word: string): SyncReason {
  return SYNC_REASONS.find((reason) => reason === word) ?? 'other'
}

/** What the person did not allow is not read, and that is no failure. */
export function isFailure(reason: SyncReason): boolean {
  return reason !== 'scope_missing'
}
