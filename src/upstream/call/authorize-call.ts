import type { Auth, Credential, TokenPlacement } from '#kit/auth/auth.ts'
import { sendWithProof } from '../dpop/send-with-proof.ts'
import { signRequest } from '../oauth1/sign-request.ts'
import { basicHeader } from '../oauth2/client-auth.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { UpstreamError } from '../request/errors.ts'
import { hidingSecrets } from '../request/secrets-of.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { secretProof } from '../sign/secret-proof.ts'
import { placeTyped } from './typed-place.ts'

export interface SigningContext {
  auth: Auth
  key: ServiceKey
  credential: Credential
}

/** Adds the credential to a request in the service's way. A DPoP proof is added when it is sent. */
export function authorizeRequest(
  upstream: Upstream,
  context: SigningContext,
  request: UpstreamRequest,
): UpstreamRequest {
  const { auth, key, credential } = context
  const { token, tokenSecret } = credential
  if (auth.kind === 'none') return request
  if (auth.kind === 'file')
    throw new UpstreamError('stop', 'There is no service to call: the records come from files', {
      reason: 'request_invalid',
    })
  if (!isSendable(token))
    throw new UpstreamError('reauthorize', 'The token is empty or has control characters', {
      reason: 'service_refused',
    })
  switch (auth.kind) {
    case 'oauth1':
      return signRequest(upstream, { auth, key, token, tokenSecret }, request)
    case 'oauth2':
      return credential.dpopKey
        ? withHeader(request, 'authorization', `DPoP ${token}`)
        : withToken(auth.tokenPlacement, withSecretProof(auth.proof, request, token, key.secret), token)
    case 'api_key':
      return withToken(auth.tokenPlacement, request, token)
    case 'typed':
      return placeTyped(auth, credential, request, upstream.clock.now())
    case 'app_password':
    case 'basic':
      return withHeader(request, 'authorization', basicHeader(token, tokenSecret ?? ''))
    default:
      return auth satisfies never
  }
}

/** Sends one request with a person's credential. */
export function sendAuthorized(
  upstream: Upstream,
  context: SigningContext,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const ready = authorizeRequest(upstream, context, request)
  return sendWithProof(hidingSecrets(upstream, context), context.credential.dpopKey, ready, context.credential.token)
}

// A user name for Basic may be any text, because it is sent encoded. No token has control characters.
function isSendable(token: string): boolean {
  return token !== '' && !/\p{Cc}/u.test(token)
}

function withToken(tokenPlacement: TokenPlacement, request: UpstreamRequest, token: string): UpstreamRequest {
  if (tokenPlacement.in === 'query')
    return { ...request, url: withParameters(request.url, { [tokenPlacement.name]: token }) }
  const value = tokenPlacement.scheme === '' ? token : `${tokenPlacement.scheme} ${token}`
  return withHeader(request, (tokenPlacement.name ?? 'authorization').toLowerCase(), value)
}

function withSecretProof(
  name: string | undefined,
  request: UpstreamRequest,
  token: string,
  secret: string,
): UpstreamRequest {
  if (name === undefined || secret === '') return request
  return { ...request, url: withParameters(request.url, { [name]: secretProof(token, secret) }) }
}

function withHeader(request: UpstreamRequest, name: string, value: string): UpstreamRequest {
  const headers: Record<string, string> = {}
  for (const other in request.headers) if (other.toLowerCase() !== name) headers[other] = request.headers[other]!
  headers[name] = value
  return { ...request, headers }
}
