import type { OAuth1 } from '#kit/auth/auth.ts'
import type { Upstream, UpstreamRequest } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { signOAuth1 } from '../sign/oauth1.ts'
import { signingKey } from './key.ts'

export interface OAuth1Signer {
  auth: OAuth1
  key: ServiceKey
  token?: string | undefined
  tokenSecret?: string | undefined
  /** Further protocol parameters, such as oauth_callback. */
  extra?: Readonly<Record<string, string>> | undefined
}

const FORM = 'application/x-www-form-urlencoded'

/** Signs a request and puts the signature where the service expects it. */
export function signRequest(upstream: Upstream, signer: OAuth1Signer, request: UpstreamRequest): UpstreamRequest {
  const { auth, key } = signer
  const formBody = isForm(request) ? textOf(request.body) : undefined
  // Only a form body can have the parameters; other requests have them in the header.
  const carrier = auth.transmit === 'body' && formBody === undefined ? 'header' : auth.transmit
  const signed = signOAuth1(
    {
      consumerKey: key.key,
      key: signingKey(auth, key, signer.tokenSecret),
      token: signer.token,
      nonce: upstream.random(16).toString('hex'),
      nowMs: upstream.clock.now(),
      carrier,
      realm: auth.realm,
      extra: signer.extra,
    },
    { method: request.method, url: request.url, formBody },
  )
  return {
    ...request,
    url: signed.url,
    headers: { ...request.headers, ...signed.headers },
    body: signed.formBody ?? request.body,
  }
}

function isForm(request: UpstreamRequest): boolean {
  const type = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  return request.body !== undefined && (type ?? '').split(';', 1)[0]!.trim().toLowerCase() === FORM
}

const textOf = (body: string | Uint8Array | undefined): string =>
  typeof body === 'string' ? body : Buffer.from(body ?? []).toString('utf8')
