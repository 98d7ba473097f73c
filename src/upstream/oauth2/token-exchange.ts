import type { Credential, OAuth2, TokenExchange } from '#kit/auth/auth.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { appValues } from '../addresses/placeholder-values.ts'
import { fillParameters, fillPlaceholders } from '../request/fill-placeholders.ts'
import { type LosslessObject, parseFields } from '../request/parse-object.ts'
import { hidingSecrets } from '../request/secrets-of.ts'
import type { Upstream, UpstreamResponse } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { basicHeader } from './client-auth.ts'
import { requireToken } from './require-token.ts'
import { encoded, withParameters } from './token-request.ts'

export interface TokenExchangeInput {
  auth: OAuth2
  key: ServiceKey
  location: ServiceLocation
  credential: Credential
  tokenExchange: TokenExchange
}

/**
 * Exchanges a token for a long-lived one. Fields that the response omits stay, except for the expiry of the old token.
 */
export async function exchangeToken(upstream: Upstream, input: TokenExchangeInput): Promise<Credential> {
  const { auth, key, credential } = input
  const sentAtMs = upstream.clock.now()
  const { response, fields } = await sendDeclared(upstream, input)
  const secrets = [key.secret, credential.token]
  const reply = { response, fields, sentAtMs }
  const { tokenType: _, ...exchanged } = requireToken(reply, { auth, what: 'token exchange', secrets, dpop: false })
  const { expiresAt: _old, ...rest } = credential
  return { ...rest, ...exchanged }
}

/**
 * Sends a request that the connector declares, with key, secret and token filled in: in the query for GET, else as form
 * or JSON.
 */
export async function sendDeclared(
  upstream: Upstream,
  {
    key,
    location,
    credential,
    tokenExchange: { url, method, parameters, headers, basic, body },
  }: Omit<TokenExchangeInput, 'auth'>,
): Promise<{ response: UpstreamResponse; fields: LosslessObject | undefined }> {
  const values = { ...appValues(key), secret: key.secret, token: credential.token }
  const filled = fillParameters(parameters, values)
  const address = fillPlaceholders(location.relocate(url, 'tokenUrl'), values, encodeURIComponent)
  const proof = {
    ...fillParameters(headers ?? {}, values),
    ...(basic === true ? { authorization: basicHeader(key.key, key.secret) } : {}),
  }
  const { type, text } = encoded(filled, body ?? 'form')
  const { trust } = location
  const response = await hidingSecrets(upstream, { key, credential }).send(
    method === 'GET'
      ? { method, url: withParameters(address, filled), trust, headers: proof }
      : { method, url: address, trust, headers: { ...proof, 'content-type': type }, body: text },
  )
  return { response, fields: parseFields(response.text) }
}
