import type { OAuth2 } from '#kit/auth/auth.ts'
import { UpstreamError } from '../request/errors.ts'
import { errorCodeOf, tokenFailure } from '../request/token-error.ts'
import type { TokenReply } from './token-request.ts'
import { readTokenResponse, type TokenResponse } from './token-response.ts'

export interface TokenExpectation {
  auth: OAuth2
  /** What was requested, in one or two words. */
  what: string
  isRefresh?: boolean
  secrets: readonly (string | undefined)[]
  /** The token must be bound to our DPoP key; a bearer token is not accepted instead. */
  dpop: boolean
}

/** The token in a response; throws the classified failure if there is none. */
export function requireToken({ response, fields, sentAtMs }: TokenReply, expected: TokenExpectation): TokenResponse {
  const succeeded =
    response.status >= 200 && response.status < 300 && errorCodeOf(fields, expected.auth.errorField) === undefined
  const found = succeeded && fields ? readTokenResponse(expected.auth, fields, sentAtMs) : undefined
  if (!found) throw tokenFailure(response, fields, { ...expected, nowMs: sentAtMs })
  if (expected.dpop && found.tokenType?.toLowerCase() !== 'dpop')
    throw new UpstreamError('stop', 'The service issued a token that is not bound to our DPoP key', {
      reason: 'token_unbound',
    })
  return found
}
