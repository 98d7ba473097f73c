import type { OAuth1, RevocationScope } from '#kit/auth/auth.ts'
import type { RevocationResult } from '#model/accounts/revocation.ts'
import type { Trust } from '#platform/egress/trust.ts'
import type { Addresses } from '../addresses/addresses.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { type Recovery, UpstreamError } from '../request/errors.ts'
import { type LosslessObject, parseFields } from '../request/parse-object.ts'
import { isMarkup, responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { type OAuth1Signer, signRequest } from './sign-request.ts'

export interface TokenPair {
  token: string
  tokenSecret: string
}

interface OAuth1Deps {
  auth: OAuth1
  key: ServiceKey
  addresses: Addresses
  trust: Trust
}

/** RFC 5849 section 2.1. Requires the confirmed callback of 1.0a, because 1.0 allows session fixation. */
export async function fetchRequestToken(
  upstream: Upstream,
  { auth, key, addresses, trust }: OAuth1Deps,
  { callbackUrl, scope }: { callbackUrl: string; scope: string },
): Promise<TokenPair> {
  const parameters = auth.scopeName !== undefined && scope !== '' ? { [auth.scopeName]: scope } : {}
  const url = withParameters(addresses.requestTokenUrl ?? '', parameters)
  const signer = { auth, key, extra: { oauth_callback: callbackUrl } }
  const fields = await requestFields(upstream, signer, {
    url,
    trust,
    what: 'request token',
    refused: 'stop',
    secrets: [key.secret],
  })
  if (fields['oauth_callback_confirmed'] !== 'true')
    throw new UpstreamError('stop', 'The service did not confirm the callback address (OAuth 1.0a)', {
      reason: 'callback_unconfirmed',
    })
  return tokenPairIn(fields)
}

/** RFC 5849 section 2.3. */
export async function fetchAccessToken(
  upstream: Upstream,
  { auth, key, addresses, trust }: OAuth1Deps,
  { token, tokenSecret, verifier }: TokenPair & { verifier: string },
): Promise<TokenPair & { fields: LosslessObject }> {
  const signer = { auth, key, token, tokenSecret, extra: { oauth_verifier: verifier } }
  const secrets = [key.secret, token, tokenSecret, verifier]
  const what = { url: addresses.tokenUrl, trust, what: 'access token', refused: 'reauthorize', secrets } as const
  const fields = await requestFields(upstream, signer, what)
  return { ...tokenPairIn(fields), fields }
}

/** Revokes an access token, if the service supports it. Throws if the service could not be asked. */
export async function revokeAccessToken(
  upstream: Upstream,
  { auth, key, addresses, trust }: OAuth1Deps,
  { token, tokenSecret }: { token: string; tokenSecret: string | undefined },
  scope: RevocationScope | 'nothing',
): Promise<RevocationResult> {
  const url = addresses.revokeUrl
  if (url === undefined) return 'not_offered'
  if (scope === 'nothing' || (scope === 'token' && auth.revokeEnds === 'grant')) return 'kept'
  const reply = await upstream.send(signRequest(upstream, { auth, key, token, tokenSecret }, emptyForm(url, trust)))
  if (reply.status >= 200 && reply.status < 300) return scope === 'token' ? 'token_ended' : 'revoked'
  const secrets = [key.secret, token, tokenSecret]
  const context = { what: 'revocation', nowMs: upstream.clock.now(), refused: 'reauthorize', secrets } as const
  const failure = responseFailure(reply, context)
  if (failure.recovery === 'retry') throw failure
  return 'refused'
}

async function requestFields(
  upstream: Upstream,
  signer: OAuth1Signer,
  request: { url: string; trust: Trust; what: string; refused: Recovery; secrets: (string | undefined)[] },
): Promise<LosslessObject> {
  const reply = await upstream.send(signRequest(upstream, signer, emptyForm(request.url, request.trust)))
  const fields = parseFields(reply.text)
  if (reply.status === 200 && fields) return fields
  if (reply.status === 200)
    throw new UpstreamError(isMarkup(reply.text) ? 'retry' : 'stop', `The response has no ${request.what}`, {
      reason: 'answer_unreadable',
      status: 200,
    })
  // Many services respond 400 where the RFC requires 401.
  const refusal = reply.status === 400 ? { ...reply, status: 401 } : reply
  throw responseFailure(refusal, { ...request, nowMs: upstream.clock.now() })
}

function tokenPairIn(fields: LosslessObject): TokenPair {
  const { oauth_token: token, oauth_token_secret: tokenSecret } = fields
  if (typeof token !== 'string' || token === '' || typeof tokenSecret !== 'string')
    throw new UpstreamError('stop', 'The response has no token', { reason: 'unexpected_answer' })
  return { token, tokenSecret }
}

const emptyForm = (url: string, trust: Trust) => ({
  method: 'POST',
  url,
  trust,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: '',
})
