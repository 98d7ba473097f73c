import type { JsonObject } from '#kit/auth/auth.ts'
import { parseObject } from '../request/parse-object.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from '../request/send.ts'
import { errorCodeOf } from '../request/token-error.ts'
import { dpopProof } from './proof.ts'

/** Sends with a DPoP proof if there is a key, and again if the server requires a nonce (RFC 9449 sections 8 and 9). */
export async function sendWithProof(
  upstream: Upstream,
  key: JsonObject | undefined,
  request: UpstreamRequest,
  token?: string,
): Promise<UpstreamResponse> {
  if (key === undefined) return upstream.send(request)
  const first = await attempt()
  return wantsNonce(first) ? attempt() : first

  async function attempt(): Promise<UpstreamResponse> {
    const { origin } = new URL(request.url)
    const dpop = await dpopProof({
      key: key!,
      method: request.method,
      url: request.url,
      nowMs: upstream.clock.now(),
      jti: upstream.random(16).toString('base64url'),
      nonce: upstream.nonces.get(origin),
      token,
    })
    const response = await upstream.send({ ...request, headers: { ...request.headers, dpop } })
    const nonce = response.headers['dpop-nonce']
    if (nonce !== undefined) upstream.nonces.set(origin, nonce)
    return response
  }
}

function wantsNonce(response: UpstreamResponse): boolean {
  if ((response.status !== 400 && response.status !== 401) || response.headers['dpop-nonce'] === undefined) return false
  if (/error="?use_dpop_nonce"?/.test(response.headers['www-authenticate'] ?? '')) return true
  return errorCodeOf(parseObject(response.text)) === 'use_dpop_nonce'
}
