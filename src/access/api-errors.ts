// Turns failures of services into API errors, the only place that does.

import { ApiError, type Reason } from '#model/errors.ts'
import type { UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { egressErrorIn, explainRefusal } from '#platform/egress/errors.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'

/**
 * Whether the service accepted the credential before. `unverified`: it comes from a sign-in in progress or from
 * `/apply`; `stored`: it belongs to a connected profile.
 */
export type CredentialState = 'unverified' | 'stored'

/** Failures that have the same meaning for every credential, whatever their recovery. */
const REASON_BY_UPSTREAM_REASON: Partial<Record<UpstreamReason, Reason>> = {
  // No service has seen the token.
  address_invalid: 'service_unreachable',
  address_refused: 'service_unreachable',
  address_wrong: 'service_unreachable',
  discovery_failed: 'service_unreachable',
  capacity: 'service_limited',
  capacity_here: 'service_limited',
  rate_limited: 'service_limited',
  rate_limited_here: 'service_limited',
  connector_fault: 'connector_failed',
  self_without_id: 'connector_failed',
  service_timeout: 'service_timeout',
  request_invalid: 'bad_request',
}

/** `Retry-After` where the service does not say how long a limit lasts. */
const DEFAULT_RETRY_MS = 60_000

/**
 * Turns a failed call to a service into the error for the app. The service's own message is only logged. An address that the
 * egress guard refuses is named with what helps; one sentence for every name, so that nobody can probe the operator's network.
 */
export function apiErrorOf(error: UpstreamError, state: CredentialState): ApiError {
  const refusal = egressErrorIn(error)
  if (refusal !== undefined) return new ApiError('address_refused', explainRefusal(refusal), { cause: error })
  const reason = REASON_BY_UPSTREAM_REASON[error.reason] ?? reasonByRecovery(error, state)
  const message = messageOf(error, reason)
  const { retryAfterMs = DEFAULT_RETRY_MS } = error
  const retry = reason === 'service_limited' ? { retryAfterS: Math.ceil(retryAfterMs / 1000) } : {}
  return new ApiError(reason, message, { ...retry, cause: error })
}

function reasonByRecovery({ recovery }: UpstreamError, state: CredentialState): Reason {
  if (recovery === 'retry') return 'service_unreachable'
  if (state === 'unverified') return 'service_refused'
  return recovery === 'reauthorize' ? 'needs_auth' : 'service_unreachable'
}

function messageOf({ message }: UpstreamError, reason: Reason): string | undefined {
  if (reason === 'bad_request') return 'The request cannot be sent as it is.'
  return reason === 'connector_failed' ? `${message}.` : undefined
}
