import { createHmac } from 'node:crypto'
import type { OAuth2, Parameters } from '#kit/auth/auth.ts'
import { textAt } from '#kit/read/value-at.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { UpstreamError } from '../request/errors.ts'
import { parseFields } from '../request/parse-object.ts'
import { responseFailure } from '../request/response-failure.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'

/** Limit: bytes of the response with a nonce; a longer one fails the call. */
const MAX_BYTES = 16 * 1024

export interface SignNonceInput {
  auth: OAuth2
  key: ServiceKey
  /** The other parameters of the request. */
  parameters?: Parameters | undefined
  /** At the instance of the key. */
  nonceUrl?: string | undefined
  trust: Trust
}

/** Fetches a nonce and signs a request with it, in place of the app's secret. Each request needs a nonce of its own. */
export async function signNonce(upstream: Upstream, input: SignNonceInput): Promise<Parameters> {
  const { auth, key, parameters = {} } = input
  const { signedNonce } = auth
  if (signedNonce === undefined)
    throw new UpstreamError('stop', 'The connector does not say where nonces come from', { reason: 'connector_fault' })
  const id = { [auth.names.client_id ?? 'client_id']: key.key }
  const signed = (all: Parameters, moment: Parameters): Parameters => {
    const covered = { ...pick({ ...all, ...id }, signedNonce.signs), ...moment }
    return { ...moment, signature: signatureOf(covered, key.secret) }
  }
  const nowMs = upstream.clock.now()
  const timestamp = String(Math.floor(nowMs / 1000))
  const body = { ...signedNonce.parameters, ...id, ...signed(signedNonce.parameters, { timestamp }) }
  const response = await upstream.send({
    method: 'POST',
    url: input.nonceUrl ?? signedNonce.url,
    trust: input.trust,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body).toString(),
    maxBytes: MAX_BYTES,
  })
  const nonce = textAt(parseFields(response.text), signedNonce.nonce)
  if (response.status === 200 && nonce !== undefined) return signed(parameters, { nonce })
  if (response.status !== 200)
    throw responseFailure(response, { what: 'nonce', nowMs, refused: 'stop', secrets: [key.secret] })
  throw new UpstreamError('stop', 'The service gave no nonce to sign; is the app’s secret right?', {
    reason: 'keys_refused',
  })
}

/** HMAC-SHA256 in hex of the values, sorted by name and separated by commas. */
export function signatureOf(parameters: Parameters, secret: string): string {
  const names = Object.keys(parameters).sort()
  return createHmac('sha256', secret)
    .update(names.map((name) => parameters[name]).join(','))
    .digest('hex')
}

function pick(parameters: Parameters, names: readonly string[]): Parameters {
  return Object.fromEntries(names.flatMap((name) => (parameters[name] === undefined ? [] : [[name, parameters[name]]])))
}
