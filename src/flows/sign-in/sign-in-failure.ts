import { apiErrorOf } from '#access/api-errors.ts'
import type { SignInDeps } from '#identity/deps.ts'
import { AuthorizeError, type AuthorizeReason } from '#identity/errors.ts'
import { stopWith } from '#identity/sign-in-trace.ts'
import type { Reason } from '#model/errors.ts'
import { UPSTREAM_REASONS, type UpstreamReason } from '#model/sync/upstream-reasons.ts'
import { egressErrorIn, explainRefusal } from '#platform/egress/errors.ts'
import { UpstreamError } from '#upstream/request/errors.ts'

/** Temporary failures, returned as `service_unreachable`: the sign-in may be tried again. */
const TEMPORARY: ReadonlySet<Reason> = new Set(['service_unreachable', 'service_timeout', 'service_limited'] as const)

/** Causes with a name of their own, because something else helps than with a refusal of the service. */
const NAMED: Partial<Record<UpstreamReason, AuthorizeReason>> = {
  access_denied: 'access_denied',
  parameter_repeated: 'invalid_request',
  scope_missing: 'scope_missing',
  connector_fault: 'connector_failed',
  self_without_id: 'connector_failed',
}

/** The error for the app when a sign-in fails, which is also logged. Of what the service sent, only an excerpt of its error is passed on. */
export function toAuthorizeError(
  deps: Pick<SignInDeps, 'log' | 'trace'>,
  error: unknown,
  service: string,
): AuthorizeError {
  const shown = authorizeErrorOf(deps, error, service)
  stopWith(deps.trace, shown)
  return shown
}

function authorizeErrorOf({ log }: Pick<SignInDeps, 'log'>, error: unknown, service: string): AuthorizeError {
  if (error instanceof AuthorizeError) return error
  if (!(error instanceof UpstreamError)) {
    log.error('a sign-in failed', { service, error })
    return new AuthorizeError('server_error', { cause: error })
  }
  const refusal = egressErrorIn(error)
  log.warn('a service refused or failed a sign-in', {
    service,
    reason: error.reason,
    recovery: error.recovery,
    detail: error.message,
    refusal: refusal?.reason,
    host: refusal?.host,
  })
  if (refusal !== undefined)
    return new AuthorizeError('address_refused', { cause: error, description: explainRefusal(refusal) })
  const named = NAMED[error.reason]
  if (named === 'scope_missing' || named === 'connector_failed')
    return new AuthorizeError(named, { cause: error, description: `${error.message}.` })
  if (named !== undefined) return new AuthorizeError(named, { cause: error })
  if (error.reason === 'callback_unusable')
    return new AuthorizeError('service_refused', { cause: error, description: error.message })
  const reason = TEMPORARY.has(apiErrorOf(error, 'unverified').reason) ? 'service_unreachable' : 'service_refused'
  return new AuthorizeError(reason, { cause: error, description: describe(error) })
}

function describe({ reason, status, said }: UpstreamError): string {
  const words = [status === undefined ? undefined : `status ${status}`, said].filter((part) => part !== undefined)
  return [UPSTREAM_REASONS[reason], ...(words.length === 0 ? [] : [`It said: ${words.join(', ')}.`])].join(' ')
}
