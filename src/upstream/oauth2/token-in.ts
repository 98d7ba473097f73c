import type { OAuth2 } from '#kit/auth.ts'
import { UpstreamError } from '../errors.ts'
import { errorCodeOf, tokenFailure } from './token-error.ts'
import type { TokenReply } from './token-request.ts'
import { readTokenResponse, type TokenResponse } from './token-response.ts'

export interface TokenExpectation {
  auth: OAuth2
  /** What was asked for, in a word or two. */
  what: string
  secrets: readonly (string | undefined)[]
  /** The token must be bound to our key; a bearer token would be worth stealing. */
  dpop: boolean
}

/** The token in a reply, or an UpstreamError that says what its absence means. */
export function tokenIn(
  { response: responseData, fields, askedAtMs }: TokenReply,
  expected: TokenExpectation,
): TokenResponse {
  const succeeded = responseData.status >= 200 && responseData.status < 300 && errorCodeOf(fields) === undefined
  const found = succeeded && fields ? readTokenResponse(expected.auth, fields, askedAtMs) : undefined
  if (!found) throw tokenFailure(responseData, fields, { ...expected, nowMs: askedAtMs })
  if (expected.dpop && found.tokenType?.toLowerCase() !== 'dpop')
    throw new UpstreamError('stop', 'The service gave a token that is not bound to our key', {
      reason: 'token_unbound',
    })
  return found
}
