import type { ApiError } from '#model/errors.ts'
import { describeError, oauthWordOf } from '#model/oauth-errors.ts'
import type { HttpRequest } from '../exchange/request.ts'

/**
 * What clients of OAuth read in an error body. `error` is a sentence, as everywhere, and the word of RFC 6749 is beside it.
 * Only a standard request to the token endpoints gets the RFC's own form, in which `error` is the word.
 */
export function oauthErrorFields(refusal: ApiError, request: HttpRequest, see: string): Record<string, string> {
  const { url = '' } = request.route
  if (!url.startsWith('/oauth/') && !url.startsWith('/auth/')) return {}
  const word = oauthWordOf(refusal)
  const description = describeError(refusal.message)
  return isStandardRequest(request, url)
    ? { error: word, error_description: description, error_uri: see }
    : { error_code: word, error_description: description }
}

const TOKEN_ENDPOINTS = new Set(['/oauth/access_token', '/oauth/revoke', '/oauth/agents/token'])

/** `grant_type` is required by RFC 6749 and unknown to clients of the original interface. */
function isStandardRequest({ body }: HttpRequest, url: string): boolean {
  return TOKEN_ENDPOINTS.has(url) && typeof body === 'object' && body !== null && Object.hasOwn(body, 'grant_type')
}
