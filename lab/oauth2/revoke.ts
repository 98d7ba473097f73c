import { first } from '../base/pairs.ts'
import { json, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { authenticateClient, tokenParams } from './client-auth.ts'
import { noStore, oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'

/** RFC 7009. Revoking a refresh token ends the grant; revoking an access token ends that token. */
export function revokeEndpoint(parts: OAuth2Parts, request: LabRequest): Reply {
  if (!parts.settings.revocation) return json(404, { error: 'not_found' })
  const params = tokenParams(parts, request)
  const client = authenticateClient(parts, request, params)
  const value = first(params, 'token')
  if (value === undefined) throw oauthError('invalid_request', 'token is missing')
  const token = parts.grants.token(value)
  if (token && token.grant.client !== client) throw oauthError('invalid_grant', 'The token belongs to another client')
  if (token?.kind === 'refresh') token.grant.revoked = true
  else if (token) parts.grants.remove(token)
  return { status: 200, headers: noStore, body: '' }
}

/** RFC 7662. */
export function introspectEndpoint(parts: OAuth2Parts, request: LabRequest): Reply {
  if (!parts.settings.introspection) return json(404, { error: 'not_found' })
  const params = tokenParams(parts, request)
  const client = authenticateClient(parts, request, params)
  const value = first(params, 'token')
  if (value === undefined) throw oauthError('invalid_request', 'token is missing')
  const token = parts.grants.token(value)
  if (!token || token.grant.client !== client || !parts.grants.isActive(token))
    return json(200, { active: false }, noStore)
  return json(
    200,
    {
      active: true,
      client_id: client.key,
      sub: token.grant.person.id,
      username: token.grant.person.username,
      scope: token.scopes.join(' '),
      iat: Math.floor(token.issuedAtMs / 1000),
      ...(Number.isFinite(token.expiresAtMs) ? { exp: Math.floor(token.expiresAtMs / 1000) } : {}),
    },
    noStore,
  )
}
