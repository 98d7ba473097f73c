import { first, type Pair } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import type { Client } from './clients.ts'
import { oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import { tokenAnswer } from './token-answer.ts'

/** RFC 6749 6, with rotation and reuse detection as RFC 9700 4.14 describes. */
export function refreshGrant(parts: OAuth2Parts, client: Client, params: Pair[]): Reply {
  const value = first(params, 'refresh_token')
  if (value === undefined) throw oauthError('invalid_request', 'refresh_token is missing')
  const token = parts.grants.token(value)
  if (!token || token.kind !== 'refresh' || token.grant.client !== client)
    throw oauthError('invalid_grant', 'The refresh token is unknown')
  if (token.spent) {
    token.grant.dead = true
    throw oauthError('invalid_grant', 'The refresh token was used before; the grant is revoked now')
  }
  if (!parts.grants.isLive(token)) throw oauthError('invalid_grant', 'The refresh token is expired or revoked')
  const settings = client.settings()
  const asked = first(params, 'scope')
  const scopes = asked === undefined ? token.scopes : asked.split(settings.scopeSeparator)
  const extra = scopes.find((scope) => !token.scopes.includes(scope))
  if (extra !== undefined) throw oauthError('invalid_scope', `${extra} was not granted`)
  const access = parts.grants.issue('access', token.grant, scopes, settings.accessTtlSeconds)
  if (settings.refresh === 'rotate') {
    token.spent = true
    const next = parts.grants.issue('refresh', token.grant, token.scopes, settings.refreshTtlSeconds)
    return tokenAnswer(parts, access, next.value)
  }
  return tokenAnswer(parts, access, settings.refresh === 'repeat' ? token.value : undefined)
}
