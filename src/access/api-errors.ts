import { ApiError, type Reason } from '#model/errors.ts'
import type { UpstreamReason } from '#model/upstream-reasons.ts'
import type { UpstreamError } from '#upstream/errors.ts'

/**
 * Whose credential the call was made with. `given`: it is being proven, by a sign-in or by an app that handed it in; `stored`: it
 * was proven before, and calls are made with it.
 */
export type CredentialOrigin = 'given' | 'stored'

/** Failures that mean the same to every caller, whatever helps against them. */
const BY_REASON: Partial<Record<UpstreamReason, Reason>> = {
  capacity: 'service_limited',
  rate_limited: 'service_limited',
  rate_limited_here: 'service_limited',
  service_timeout: 'service_timeout',
  request_invalid: 'bad_request',
}

/** Told where nobody knows how long a limit lasts. */
const DEFAULT_RETRY_MS = 60_000

/** What a failed call to a service means to the app that asked for it. The service's own words stay in our log. */
export function apiErrorOf(error: UpstreamError, origin: CredentialOrigin): ApiError {
  const reason = BY_REASON[error.reason] ?? byRecovery(error, origin)
  const message = reason === 'bad_request' ? 'The request cannot be sent as it is.' : undefined
  const { retryAfterMs = DEFAULT_RETRY_MS } = error
  const retry = reason === 'service_limited' ? { retryAfterS: Math.ceil(retryAfterMs / 1000) } : {}
  return new ApiError(reason, message, { ...retry, cause: error })
}

function byRecovery({ recovery }: UpstreamError, origin: CredentialOrigin): Reason {
  if (recovery === 'retry') return 'service_unreachable'
  if (origin === 'given') return 'service_refused'
  // Refused addresses look like any other failure: what is behind them is nobody's business.
  return recovery === 'reauthorize' ? 'needs_auth' : 'service_unreachable'
}
