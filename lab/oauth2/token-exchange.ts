import { first, type Pair } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { authenticateClient } from './client-auth.ts'
import { oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import type { TokenExchange } from './settings.ts'
import { tokenResponse } from './token-response.ts'

/** Exchanges an active access token for a longer-lived one. */
export function exchangeGrant(parts: OAuth2Parts, request: LabRequest, params: Pair[], exchange: TokenExchange): Reply {
  const token = parts.grants.token(first(params, exchange.tokenParam) ?? '')
  if (exchange.authenticated) {
    const client = authenticateClient(parts, request, params)
    if (token && token.grant.client !== client) throw oauthError('invalid_grant', 'The token belongs to another client')
  }
  if (!token || token.kind !== 'access' || !parts.grants.isActive(token))
    throw oauthError('invalid_grant', `${exchange.tokenParam} is unknown, expired or revoked`)
  if (parts.clock.now() - token.issuedAtMs < exchange.minAgeSeconds * 1000)
    throw oauthError('invalid_grant', `The token is younger than ${exchange.minAgeSeconds} seconds`)
  return tokenResponse(parts, parts.grants.issue('access', token.grant, token.scopes, exchange.ttlSeconds), undefined)
}
