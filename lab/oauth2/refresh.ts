import { first, type Pair } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import type { Client } from './clients.ts'
import { oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import { tokenResponse } from './token-response.ts'

/** RFC 6749 6, with rotation and reuse detection as RFC 9700 4.14 describes. */
export function refreshGrant(parts: OAuth2Parts, client: Client, params: Pair[]): Reply {
  const value = first(params, 'refresh_token')
  if (value === undefined) throw oauthError('invalid_request', 'refresh_token is missing')
  const token = parts.grants.token(value)
  if (!token || token.kind !== 'refresh' || token.grant.client !== client)
    throw oauthError('invalid_grant', 'The refresh token is unknown')
  if (token.used) {
    token.grant.revoked = true
    throw oauthError('invalid_grant', 'The refresh token was used before; the grant is revoked now')
  }
  if (!parts.grants.isActive(token)) throw oauthError('invalid_grant', 'The refresh token is expired or revoked')
  const settings = client.settings()
  const requested = first(params, 'scope')
  const scopes = requested === undefined ? token.scopes : requested.split(settings.scopeSeparator)
  const extra = scopes.find((scope) => !token.scopes.includes(scope))
  if (extra !== undefined) throw oauthError('invalid_scope', `${extra} was not granted`)
  const access = parts.grants.issue('access', token.grant, scopes, settings.accessTtlSeconds)
  if (settings.refresh === 'rotate') {
    token.used = true
    const next = parts.grants.issue('refresh', token.grant, token.scopes, settings.refreshTtlSeconds)
    return tokenResponse(parts, access, next.value)
  }
  return tokenResponse(parts, access, settings.refresh === 'repeat' ? token.value : undefined)
}
