import { dpopProof } from '../dpop/proof.ts'
import type { StreamRequest, StreamResponse } from '../request/open-stream.ts'
import type { Upstream } from '../request/send.ts'
import { authorizeRequest, type SigningContext } from './authorize-call.ts'

/**
 * Opens one call with a person's credential and streams both bodies. Nothing is retried here, because a stream can be
 * sent only once.
 */
export async function openAuthorized(
  upstream: Upstream,
  context: SigningContext,
  request: StreamRequest,
): Promise<StreamResponse> {
  const { body, ...head } = request
  // Only a buffered form can be signed; for a stream, the signature covers the URL and headers.
  const text = typeof body === 'string' || body instanceof Uint8Array ? { body } : {}
  const ready = authorizeRequest(upstream, context, { ...head, ...text })
  const signed: StreamRequest = { ...request, url: ready.url, headers: ready.headers, body: ready.body ?? body }
  const { dpopKey, token } = context.credential
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

/** True if the server refused only because it requires another nonce (RFC 9449 section 9). */
export function wantsNonce({ status, headers }: StreamResponse): boolean {
  return (
    status === 401 &&
    headers['dpop-nonce'] !== undefined &&
    /error="?use_dpop_nonce"?/.test(String(headers['www-authenticate'] ?? ''))
  )
}
