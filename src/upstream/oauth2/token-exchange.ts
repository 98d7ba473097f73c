import type { Credential, OAuth2, TokenExchange } from '#kit/auth.ts'
import type { ServiceLocation } from '../addresses.ts'
import { type LosslessObject, parseFields } from '../parse-object.ts'
import type { Upstream, UpstreamResponse } from '../send.ts'
import type { ServiceKey } from '../service-key.ts'
import { basicHeader } from './client-auth.ts'
import { fill, fillAll } from './placeholders.ts'
import { tokenIn } from './token-in.ts'
import { encoded, withParameters } from './token-request.ts'

export interface TokenExchangeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
  tokenExchange: TokenExchange
}

/** A token for a longer-lived one. What the answer leaves out stays as it was, but for the expiry, which was the old token's. */
export async function tokenExchange(upstream: Upstream, input: TokenExchangeInput): Promise<Credential> {
  const { auth, key, credential } = input
  const askedAtMs = upstream.clock.now()
  const { response, fields } = await askDeclared(upstream, input)
  const secrets = [key.secret, credential.token]
  const reply = { response, fields, askedAtMs }
  const { tokenType: _, ...exchanged } = tokenIn(reply, { auth, what: 'token trade', secrets, dpop: false })
  const { expiresAt: _old, ...kept } = credential
  return { ...kept, ...exchanged }
}

/** A declared request whose parameters hold key, secret and token: in the query for GET, else as a form or JSON. */
export async function askDeclared(
  upstream: Upstream,
  {
    key,
    location,
    credential,
    tokenExchange: { url, method, parameters, basic, body },
  }: Omit<TokenExchangeInput, 'auth'>,
): Promise<{ response: UpstreamResponse; fields: LosslessObject | undefined }> {
  const fillings = { key: key.key, secret: key.secret, token: credential.token }
  const filled = fillAll(parameters, fillings)
  const address = fill(location.move(url, 'tokenUrl'), fillings, encodeURIComponent)
  const proof = basic === true ? { authorization: basicHeader(key.key, key.secret) } : {}
  const { type, text } = encoded(filled, body ?? 'form')
  const response = await upstream.send(
    method === 'GET'
      ? { method, url: withParameters(address, filled), headers: proof }
      : { method, url: address, headers: { ...proof, 'content-type': type }, body: text },
  )
  return { response, fields: parseFields(response.text) }
}
