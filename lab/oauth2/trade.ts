import { first, type Pair } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { authenticateClient } from './client-auth.ts'
import { oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import type { TokenTrade } from './settings.ts'
import { tokenAnswer } from './token-answer.ts'

/** A living access token for a longer-lived one. */
export function tradeGrant(parts: OAuth2Parts, request: LabRequest, params: Pair[], trade: TokenTrade): Reply {
  const token = parts.grants.token(first(params, trade.tokenParam) ?? '')
  if (trade.authenticated) {
    const client = authenticateClient(parts, request, params)
    if (token && token.grant.client !== client) throw oauthError('invalid_grant', 'The token belongs to another client')
  }
  if (!token || token.kind !== 'access' || !parts.grants.isLive(token))
    throw oauthError('invalid_grant', `${trade.tokenParam} is unknown, expired or revoked`)
  if (parts.clock.now() - token.issuedAtMs < trade.minAgeSeconds * 1000)
    throw oauthError('invalid_grant', `The token is younger than ${trade.minAgeSeconds} seconds`)
  return tokenAnswer(parts, parts.grants.issue('access', token.grant, token.scopes, trade.ttlSeconds), undefined)
}
