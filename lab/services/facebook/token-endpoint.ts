import { first, type Pair } from '../../base/pairs.ts'
import { json, type Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { GraphAccess } from '../../graph/access.ts'
import { graphError } from '../../graph/graph-error.ts'
import { type InnerTokenResponse, requestToken } from '../../graph/inner-token.ts'

const wrongCode = (message: string, subcode: number) => graphError(message, { code: 100, subcode })

/** `oauth/access_token`: code exchange, long-lived exchange and app tokens, by GET or POST. */
export function createTokenEndpoint(access: GraphAccess): (request: LabRequest) => Promise<Reply> {
  const usedCodes = new Set<string>()

  const exchange = (params: Record<string, string | undefined>) =>
    requestToken(access.oauth, { method: 'POST', path: '/oauth/access_token', params, toError: graphErrorFor })
  const tokenReply = ({ access_token, expires_in }: InnerTokenResponse): Reply =>
    json(200, { access_token, token_type: 'bearer', expires_in })

  return async (request) => {
    const params: Pair[] = [...request.query, ...formOf(request)]
    const clientKey = first(params, 'client_id')
    if (clientKey === undefined) throw graphError('Missing client_id parameter.', { code: 101 })
    const secret = access.apps.get(clientKey)
    if (secret === undefined)
      throw graphError('Error validating application. Cannot get application info due to a system error.', {
        code: 101,
      })
    const credentials = { client_id: clientKey, client_secret: first(params, 'client_secret') }
    if (credentials.client_secret === undefined) throw graphError('Missing client_secret parameter.', { code: 1 })
    if (credentials.client_secret !== secret) throw graphError('Error validating client secret.', { code: 1 })
    const grantType = first(params, 'grant_type')
    if (grantType === 'client_credentials')
      return json(200, { access_token: `${clientKey}|${secret}`, token_type: 'bearer' })
    if (grantType === 'fb_exchange_token') {
      const value = first(params, 'fb_exchange_token') ?? ''
      const short = access.grants.token(value)
      if (!short || !access.grants.isActive(short) || short.grant.clientKey !== clientKey)
        throw graphError('Invalid OAuth access token - Cannot parse access token', { code: 190 })
      const inner = await exchange({ ...credentials, grant_type: grantType, fb_exchange_token: value })
      access.remember(inner, clientKey, { requested: [], granted: [], longLived: true })
      return tokenReply(inner)
    }
    if (grantType !== undefined && grantType !== 'authorization_code')
      throw graphError(`Unsupported grant_type: ${grantType}`, { code: 1 })
    const code = first(params, 'code')
    if (code === undefined) throw graphError('Missing authorization code', { code: 1 })
    if (usedCodes.has(code)) throw wrongCode('This authorization code has been used.', 36009)
    const redirectUri = first(params, 'redirect_uri')
    if (redirectUri === undefined) throw graphError('Missing redirect_uri parameter.', { code: 191 })
    usedCodes.add(code)
    const inner = await exchange({
      ...credentials,
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: first(params, 'code_verifier'),
    })
    const granted = inner.scope === '' ? [] : inner.scope.split(',')
    access.remember(inner, clientKey, { requested: access.window.requestedScopesOf(code), granted, longLived: false })
    return tokenReply(inner)
  }
}

function graphErrorFor(description: string): Refusal {
  if (description.includes('expired')) return wrongCode('This authorization code has expired.', 36007)
  if (description.includes('redirect_uri'))
    return wrongCode(
      'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
      36008,
    )
  return graphError('Invalid verification code format.', { code: 100 })
}
