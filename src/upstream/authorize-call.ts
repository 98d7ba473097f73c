import type { Auth, Credential, TokenPlacement } from '#kit/auth.ts'
import { sendWithProof } from './dpop/send-with-proof.ts'
import { UpstreamError } from './errors.ts'
import { signRequest } from './oauth1/sign-request.ts'
import { basicHeader } from './oauth2/client-auth.ts'
import { withParameters } from './oauth2/token-request.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from './send.ts'
import type { ServiceKey } from './service-key.ts'
import { secretProof } from './sign/secret-proof.ts'

export interface SigningContext {
  auth: Auth
  key: ServiceKey
  credential: Credential
}

/** The request with the credential on it, as the service wants it; a DPoP proof is added while sending. */
export function authorizeRequest(
  upstream: Upstream,
  bearer: SigningContext,
  request: UpstreamRequest,
): UpstreamRequest {
  const { auth, key, credential } = bearer
  const { token, tokenSecret } = credential
  if (!isSendable(token))
    throw new UpstreamError('reauthorize', 'The token is none that the service could have given', {
      reason: 'service_refused',
    })
  switch (auth.kind) {
    case 'oauth1':
      return signRequest(upstream, { auth, key, token, tokenSecret }, request)
    case 'oauth2':
      return credential.dpopKey
        ? withHeader(request, 'authorization', `DPoP ${token}`)
        : placed(auth.tokenPlacement, proven(auth.proof, request, token, key.secret), token)
    case 'api_key':
      return placed(auth.tokenPlacement, request, token)
    case 'basic':
      return withHeader(request, 'authorization', basicHeader(token, tokenSecret ?? ''))
    default:
      return auth satisfies never
  }
}

/** Sends one request in a person's name. */
export function sendAuthorized(
  upstream: Upstream,
  bearer: SigningContext,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const ready = authorizeRequest(upstream, bearer, request)
  return sendWithProof(upstream, bearer.credential.dpopKey, ready, bearer.credential.token)
}

// A name for Basic may hold any text; it travels encoded, as do queries. Control characters are in no token.
function isSendable(token: string): boolean {
  return token !== '' && !/\p{Cc}/u.test(token)
}

function placed(tokenPlacement: TokenPlacement, request: UpstreamRequest, token: string): UpstreamRequest {
  if (tokenPlacement.in === 'query')
    return { ...request, url: withParameters(request.url, { [tokenPlacement.name]: token }) }
  const value = tokenPlacement.scheme === '' ? token : `${tokenPlacement.scheme} ${token}`
  return withHeader(request, (tokenPlacement.name ?? 'authorization').toLowerCase(), value)
}

function proven(name: string | undefined, request: UpstreamRequest, token: string, secret: string): UpstreamRequest {
  if (name === undefined || secret === '') return request
  return { ...request, url: withParameters(request.url, { [name]: secretProof(token, secret) }) }
}

function withHeader(request: UpstreamRequest, name: string, value: string): UpstreamRequest {
  const others = Object.entries(request.headers ?? {}).filter(([other]) => other.toLowerCase() !== name)
  return { ...request, headers: { ...Object.fromEntries(others), [name]: value } }
}
