import { first, type Pair } from '../../base/pairs.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import { formOf, type LabRequest } from '../../base/request.ts'
import type { GraphAccess } from '../../graph/access.ts'
import { graphError } from '../../graph/graph-error.ts'
import { requestToken } from '../../graph/inner-token.ts'
import type { InstagramSettings } from './settings.ts'

interface LoginParts extends Pick<GraphAccess, 'oauth' | 'grants' | 'window' | 'apps' | 'remember'> {
  shape: InstagramSettings
}

/** The login host has its own error format. */
const loginError = (message: string): Refusal =>
  new Refusal(json(400, { error_type: 'OAuthException', code: 400, error_message: message }))

const wrongCode = () => loginError('Matching code was not found or was already used')

/** `POST /oauth/access_token`: exchanges a code for a token of one hour. */
export function createCodeExchange(parts: LoginParts): (request: LabRequest) => Promise<Reply> {
  const usedCodes = new Set<string>()
  return async (request) => {
    const params = formOf(request)
    const clientKey = required(params, 'client_id')
    const secret = required(params, 'client_secret')
    if (required(params, 'grant_type') !== 'authorization_code') throw loginError('Invalid grant_type')
    const redirectUri = required(params, 'redirect_uri')
    // A code that still has the `#_` fragment is rejected: the vendor requires clients to strip it.
    const code = required(params, 'code')
    if (parts.apps.get(clientKey) === undefined) throw loginError('Invalid platform app')
    if (parts.apps.get(clientKey) !== secret) throw loginError('Error validating client secret.')
    if (usedCodes.has(code)) throw wrongCode()
    usedCodes.add(code)
    const inner = await requestToken(parts.oauth, {
      method: 'POST',
      path: '/oauth/access_token',
      params: {
        client_id: clientKey,
        client_secret: secret,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code,
      },
      toError: (description) =>
        description.includes('redirect_uri')
          ? loginError(
              'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
            )
          : description.includes('expired')
            ? loginError('This authorization code has expired.')
            : wrongCode(),
    })
    const granted = inner.scope === '' ? [] : inner.scope.split(',')
    parts.remember(inner, clientKey, { requested: parts.window.requestedScopesOf(code), granted, longLived: false })
    const { access_token, user_id } = inner
    return parts.shape.tokenShape === 'data'
      ? json(200, { data: [{ access_token, user_id, permissions: granted.join(',') }] })
      : json(200, { access_token, user_id: BigInt(user_id), permissions: granted })
  }
}

function required(params: readonly Pair[], name: string): string {
  const value = first(params, name)
  if (value === undefined || value === '') throw loginError(`Missing required field ${name}`)
  return value
}

/** `GET /access_token`: exchanges an active short-lived token for one of sixty days. */
export async function exchangeLong(parts: LoginParts, request: LabRequest): Promise<Reply> {
  const { query } = request
  if (first(query, 'grant_type') !== 'ig_exchange_token')
    throw graphError('Unsupported request - method type: get', { type: 'IGApiException', code: 100 })
  const token = parts.grants.token(first(query, 'access_token') ?? '')
  if (!token || !parts.grants.isActive(token)) throw sessionInvalid()
  if (first(query, 'client_secret') !== parts.apps.get(token.grant.clientKey))
    throw graphError('Error validating client secret.', { code: 1 })
  // Long-lived tokens are renewed at /refresh_access_token only.
  if (token.longLived) throw sessionInvalid()
  return exchangeToken(parts, '/access_token', 'ig_exchange_token', token.value, token.grant.clientKey)
}

/** `GET /refresh_access_token`: renews an active long-lived token that is at least a day old for another sixty days. */
export async function refreshLong(parts: LoginParts, request: LabRequest): Promise<Reply> {
  const { query } = request
  if (first(query, 'grant_type') !== 'ig_refresh_token')
    throw graphError('Unsupported request - method type: get', { type: 'IGApiException', code: 100 })
  const token = parts.grants.token(first(query, 'access_token') ?? '')
  if (!token || !parts.grants.isActive(token) || !token.longLived) throw sessionInvalid()
  return exchangeToken(parts, '/refresh_access_token', 'ig_refresh_token', token.value, token.grant.clientKey)
}

async function exchangeToken(parts: LoginParts, path: string, grantType: string, token: string, clientKey: string) {
  const inner = await requestToken(parts.oauth, {
    method: 'GET',
    path,
    params: { grant_type: grantType, access_token: token },
    toError: sessionInvalid,
  })
  parts.remember(inner, clientKey, { requested: [], granted: [], longLived: true })
  return json(200, { access_token: inner.access_token, token_type: 'bearer', expires_in: inner.expires_in })
}

const sessionInvalid = (): Refusal =>
  graphError('Error validating access token: Session has expired or is not valid for this request', {
    type: 'IGApiException',
    code: 190,
  })
