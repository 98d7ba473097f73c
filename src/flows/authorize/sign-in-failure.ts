import { apiErrorOf } from '#access/api-errors.ts'
import type { Reason } from '#model/errors.ts'
import { egressErrorIn } from '#platform/egress/errors.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { AuthorizeDeps } from './deps.ts'
import { AuthorizeError } from './errors.ts'

/** Temporary failures, returned as `service_unreachable`: the sign-in may be tried again. */
const TEMPORARY: ReadonlySet<Reason> = new Set(['service_unreachable', 'service_timeout', 'service_limited'] as const)

/** The error for the app when a sign-in fails. The service's own message is only logged. */
export function toAuthorizeError({ log }: Pick<AuthorizeDeps, 'log'>, error: unknown, service: string): AuthorizeError {
  if (error instanceof AuthorizeError) return error
  if (!(error instanceof UpstreamError)) {
    log.error('a sign-in failed', { service, error })
    return new AuthorizeError('server_error', { cause: error })
  }
  log.warn('a service refused or failed a sign-in', {
    service,
    reason: error.reason,
    recovery: error.recovery,
    detail: error.message,
    refusal: egressErrorIn(error)?.reason,
  })
  if (error.reason === 'access_denied') return new AuthorizeError('access_denied', { cause: error })
  if (error.reason === 'callback_unusable')
    return new AuthorizeError('service_refused', { cause: error, description: error.message })
  if (error.reason === 'parameter_repeated') return new AuthorizeError('invalid_request', { cause: error })
  return new AuthorizeError(
    TEMPORARY.has(apiErrorOf(error, 'unverified').reason) ? 'service_unreachable' : 'service_refused',
    {
      cause: error,
    },
  )
}
