import type { JsonObject, OAuth2, Parameters, TokenAuth } from '#kit/auth.ts'
import { sendWithProof } from '../dpop/send-with-proof.ts'
import { type LosslessObject, parseFields } from '../parse-object.ts'
import type { Upstream, UpstreamResponse } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { proveClient } from './client-auth.ts'

export interface TokenRequest {
  auth: OAuth2
  key: ServiceKey
  url: string
  parameters: Parameters
  /** Whom assertions are for. */
  audience: string
  dpopKey?: JsonObject | undefined
  method?: 'POST' | 'GET' | 'DELETE' | undefined
  body?: 'form' | 'json' | undefined
  tokenAuth?: TokenAuth | undefined
}

export interface TokenReply {
  response: UpstreamResponse
  /** The answer's fields, JSON or form-encoded; undefined when it is neither. */
  fields: LosslessObject | undefined
  askedAtMs: number
}

/** Limit: bytes of a token response; more fails the call. */
const MAX_BYTES = 256 * 1024

/** One request of the app itself: token, refresh, revocation, pushed request. */
export async function askAsApp(upstream: Upstream, request: TokenRequest): Promise<TokenReply> {
  const { auth, key, audience, dpopKey } = request
  const proof = await proveClient(upstream, { auth, key, audience, method: request.tokenAuth })
  const method = request.method ?? 'POST'
  const parameters = { ...request.parameters, ...proof.body }
  const query = method === 'GET' ? { ...parameters, ...proof.query } : proof.query
  const body = method === 'GET' ? undefined : encoded(parameters, request.body ?? 'form')
  const askedAtMs = upstream.clock.now()
  const reply = await sendWithProof(upstream, dpopKey, {
    method,
    url: withParameters(request.url, query),
    headers: { ...proof.headers, ...(body === undefined ? {} : { 'content-type': body.type }) },
    body: body?.text,
    maxBytes: MAX_BYTES,
  })
  return { response: reply, fields: parseFields(reply.text), askedAtMs }
}

export function encoded(parameters: Parameters, as: 'form' | 'json'): { type: string; text: string } {
  if (as === 'json') return { type: 'application/json', text: JSON.stringify(parameters) }
  return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(parameters).toString() }
}

/** Adds parameters to an address that may have some; a space becomes `%20`, which every reader understands. */
export function withParameters(address: string, parameters: Parameters): string {
  const names = Object.keys(parameters)
  if (names.length === 0) return address
  const url = new URL(address)
  const added = new URLSearchParams(parameters).toString().replaceAll('+', '%20')
  if (names.some((name) => url.searchParams.has(name))) {
    for (const name of names) url.searchParams.set(name, parameters[name]!)
    url.search = url.searchParams.toString().replaceAll('+', '%20')
  } else {
    // What is there stays as it was written.
    url.search = url.search === '' ? added : `${url.search}&${added}`
  }
  return url.href
}
