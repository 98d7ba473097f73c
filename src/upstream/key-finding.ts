import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'

/** One step of a test of an app's keys for a service. */
export interface KeyFinding {
  step: 'callback' | 'addresses' | 'sign_in_page' | 'keys'
  /** `unknown`: the service does not tell. */
  result: 'ok' | 'failed' | 'unknown'
  reason: UpstreamReason | 'ok' | 'unknown' | 'not_required' | 'callback_refused'
  /** A sentence, without secrets. */
  detail: string
}
