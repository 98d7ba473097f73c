import { first } from '../base/pairs.ts'
import { json, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import { checkRequest } from './authorize-checks.ts'
import { authenticateClient, tokenParams } from './client-auth.ts'
import { noStore, oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'

/** RFC 9126: validates the request before a browser is involved. */
export function parEndpoint(parts: OAuth2Parts, request: LabRequest): Reply {
  if (parts.settings.par === 'off') return json(404, { error: 'not_found' })
  const params = tokenParams(parts, request)
  const client = authenticateClient(parts, request, params)
  if (first(params, 'request_uri') !== undefined) throw oauthError('invalid_request', 'request_uri cannot be pushed')
  const redirectUri = first(params, 'redirect_uri') ?? ''
  if (!client.redirectUris.includes(redirectUri)) throw oauthError('invalid_request', 'redirect_uri is not registered')
  const checked = checkRequest(client, params)
  if ('error' in checked) throw oauthError(checked.error, checked.description)
  const uri = parts.pushed.add(client.key, params)
  return json(201, { request_uri: uri, expires_in: parts.pushed.ttlSeconds }, noStore)
}
