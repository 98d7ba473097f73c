import type { JsonObject, OAuth2, Parameters, TokenAuth } from '#kit/auth/auth.ts'
import type { Trust } from '#platform/egress/trust.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { sendWithProof } from '../dpop/send-with-proof.ts'
import { type LosslessObject, parseFields } from '../request/parse-object.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { authenticateClient } from './client-auth.ts'

export interface TokenRequest {
  auth: OAuth2
  key: ServiceKey
  url: string
  trust: Trust
  parameters: Parameters
  /** Audience of client assertions. */
  audience: string
  dpopKey?: JsonObject | undefined
  method?: 'POST' | 'GET' | 'DELETE' | undefined
  body?: 'form' | 'json' | undefined
  tokenAuth?: TokenAuth | undefined
  /** Where the nonces of `signedNonce` come from, at the instance of the key. */
  nonceUrl?: string | undefined
}

export interface TokenReply {
  response: UpstreamResponse
  /** The fields of the response, JSON or form-encoded; undefined if it is neither. */
  fields: LosslessObject | undefined
  sentAtMs: number
}

/** Limit: bytes of a token response; a longer one fails the call. */
const MAX_BYTES = 256 * 1024

/** Sends a request with client authentication: token, refresh, revocation or pushed request. */
export async function requestAsApp(upstream: Upstream, request: TokenRequest): Promise<TokenReply> {
  const { auth, key, audience, dpopKey } = request
  const proof = await authenticateClient(upstream, {
    auth,
    key,
    audience,
    method: request.tokenAuth,
    parameters: request.parameters,
    nonceUrl: request.nonceUrl,
    trust: request.trust,
  })
  const method = request.method ?? 'POST'
  const parameters = { ...request.parameters, ...proof.body }
  const query = method === 'GET' ? { ...parameters, ...proof.query } : proof.query
  const body = method === 'GET' ? undefined : encoded(parameters, request.body ?? 'form')
  const sentAtMs = upstream.clock.now()
  const reply = await sendWithProof(upstream, dpopKey, {
    method,
    url: withParameters(request.url, query),
    trust: request.trust,
    headers: { ...proof.headers, ...(body === undefined ? {} : { 'content-type': body.type }) },
    body: body?.text,
    maxBytes: MAX_BYTES,
  })
  return { response: reply, fields: parseFields(reply.text), sentAtMs }
}

export function encoded(parameters: Parameters, as: 'form' | 'json'): { type: string; text: string } {
  if (as === 'json') return { type: 'application/json', text: JSON.stringify(parameters) }
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(parameters).toString() }
}

/** Adds parameters to a URL. A space becomes `%20`, which every server understands. */
export function withParameters(address: string, parameters: Parameters): string {
  const names = Object.keys(parameters)
  if (names.length === 0) return address
  const url = new URL(address)
  const added = new URLSearchParams(parameters).toString().replaceAll('+', '%20')
  if (names.some((name) => url.searchParams.has(name))) {
    for (const name of names) url.searchParams.set(name, parameters[name]!)
    url.search = url.searchParams.toString().replaceAll('+', '%20')
  } else {
    // The existing query stays byte for byte.
    url.search = url.search === '' ? added : `${url.search}&${added}`
  }
  return url.href
}

/** Where the nonces of `signed_nonce` come from, at the instance of the key. */
export function nonceUrlOf(
  { signedNonce }: OAuth2,
  { relocate }: Pick<ServiceLocation, 'relocate'>,
): string | undefined {
  return signedNonce && relocate(signedNonce.url, 'tokenUrl')
}
