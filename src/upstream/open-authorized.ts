import { authorizeRequest, type SigningContext } from './authorize-call.ts'
import { dpopProof } from './dpop/proof.ts'
import type { StreamRequest, StreamResponse } from './open-stream.ts'
import type { Upstream } from './send.ts'

/** Opens one call in a person's name and leaves both bodies to the caller. A stream can only be sent once, so nothing is tried again here. */
export async function openAuthorized(
  upstream: Upstream,
  bearer: SigningContext,
  request: StreamRequest,
): Promise<StreamResponse> {
  const { body, ...head } = request
  // Only a form that is there as text can be signed; a stream is passed on under the signature of its head.
  const text = typeof body === 'string' || body instanceof Uint8Array ? { body } : {}
  const ready = authorizeRequest(upstream, bearer, { ...head, ...text })
  const signed: StreamRequest = { ...request, url: ready.url, headers: ready.headers, body: ready.body ?? body }
  const { dpopKey, token } = bearer.credential
  if (dpopKey === undefined) return upstream.open(signed)
  const { origin } = new URL(signed.url)
  const dpop = await dpopProof({
    key: dpopKey,
    method: signed.method,
    url: signed.url,
    nowMs: upstream.clock.now(),
    jti: upstream.random(16).toString('base64url'),
    nonce: upstream.nonces.get(origin),
    token,
  })
  const response = await upstream.open({ ...signed, headers: { ...signed.headers, dpop } })
  const nonce = response.headers['dpop-nonce']
  if (typeof nonce === 'string') upstream.nonces.set(origin, nonce)
  return response
}

/** True for the refusal that asks for another proof, and nothing else (RFC 9449 section 9). */
export function wantsNonce({ status, headers }: StreamResponse): boolean {
  return (
    status === 401 &&
    headers['dpop-nonce'] !== undefined &&
    /error="?use_dpop_nonce"?/.test(String(headers['www-authenticate'] ?? ''))
  )
}
