import { first, type Pair } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import { Refusal } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { authenticateClient, tokenParams } from './client-auth.ts'
import type { Client } from './clients.ts'
import { oauthError } from './error.ts'
import { refreshGrant } from './refresh.ts'
import type { OAuth2Parts } from './server-parts.ts'
import { exchangeGrant } from './token-exchange.ts'
import { tokenResponse } from './token-response.ts'
import { verifierMatches } from './verifier.ts'

/** The token endpoint, RFC 6749 3.2. */
export function tokenEndpoint(parts: OAuth2Parts, request: LabRequest): Reply {
  try {
    const params = tokenParams(parts, request)
    const grantType = first(params, 'grant_type')
    for (const exchange of [parts.settings.longLived, parts.settings.renew])
      if (exchange && exchange.grantType === grantType && exchange.path === request.path)
        return exchangeGrant(parts, request, params, exchange)
    if (request.method !== 'POST')
      throw oauthError('invalid_request', 'Use POST', { status: 405, headers: { allow: 'POST' } })
    const client = authenticateClient(parts, request, params)
    if (grantType === 'authorization_code') return codeGrant(parts, client, params)
    if (grantType === 'refresh_token' && client.settings().refresh !== 'none')
      return refreshGrant(parts, client, params)
    throw grantType === undefined
      ? oauthError('invalid_request', 'grant_type is missing')
      : oauthError('unsupported_grant_type', `${grantType} is not supported`)
  } catch (error) {
    if (error instanceof Refusal && parts.settings.tokenErrorStatus === '200') return { ...error.reply, status: 200 }
    throw error
  }
}

function codeGrant(parts: OAuth2Parts, client: Client, params: Pair[]): Reply {
  const value = first(params, 'code')
  if (value === undefined) throw oauthError('invalid_request', 'code is missing')
  const code = parts.grants.code(value)
  if (!code || code.grant.client !== client) throw oauthError('invalid_grant', 'The code is unknown')
  if (code.used) {
    code.grant.revoked = true
    throw oauthError('invalid_grant', 'The code was used before; its tokens are revoked now')
  }
  code.used = true
  if (code.expiresAtMs <= parts.clock.now()) throw oauthError('invalid_grant', 'The code has expired')
  if (first(params, 'redirect_uri') !== code.redirectUri)
    throw oauthError('invalid_grant', 'redirect_uri is not the one of the authorization request')
  const verifier = first(params, 'code_verifier')
  const { pkce, refresh, accessTtlSeconds, refreshTtlSeconds } = client.settings()
  if (pkce === 'refused' && verifier !== undefined) throw oauthError('invalid_request', 'PKCE is not supported')
  if (pkce !== 'off' && !verifierMatches(code.challenge, verifier))
    throw oauthError('invalid_grant', 'code_verifier does not fit the code_challenge')
  const { grant } = code
  const access = parts.grants.issue('access', grant, grant.scopes, accessTtlSeconds)
  const refreshToken =
    refresh === 'none' ? undefined : parts.grants.issue('refresh', grant, grant.scopes, refreshTtlSeconds)
  return tokenResponse(parts, access, refreshToken?.value)
}
