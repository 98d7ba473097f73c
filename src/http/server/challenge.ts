import type { ApiError } from '#model/errors.ts'
import { describeError, oauthWordOf } from '#model/oauth-errors.ts'

const REALM = 'realm="tributary"'

/**
 * The value of `WWW-Authenticate` (RFC 9110, RFC 6750 3, RFC 7617): which credentials the address takes, and for a refused
 * token why. A request without credentials gets the realm only.
 */
export function challengeOf(refusal: ApiError, hasCredentials: boolean): string | undefined {
  const { reason, status } = refusal
  if (reason === 'app_secret_invalid') return `Basic ${REALM}, charset="UTF-8"`
  if (reason === 'token_invalid' || reason === 'token_conflict') return withError(refusal)
  if (reason === 'admin_token_invalid' && hasCredentials) return withError(refusal)
  return status === 401 ? `Bearer ${REALM}` : undefined
}

function withError(refusal: ApiError): string {
  return `Bearer ${REALM}, error="${oauthWordOf(refusal)}", error_description="${describeError(refusal.message)}"`
}
