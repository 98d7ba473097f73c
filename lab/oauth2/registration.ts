import { json, type Reply } from '../base/reply.ts'
import { jsonOf, type LabRequest } from '../base/request.ts'
import { noStore, oauthError } from './error.ts'
import type { OAuth2Parts } from './server-parts.ts'
import { clientAuthMethods } from './settings.ts'

/** RFC 7591. */
export function registerEndpoint(parts: OAuth2Parts, request: LabRequest): Reply {
  if (!parts.settings.registration) return json(404, { error: 'not_found' })
  const body = jsonOf(request)
  const redirectUris = checkedUris(body['redirect_uris'])
  const method = body['token_endpoint_auth_method'] ?? 'client_secret_basic'
  const known = clientAuthMethods.find((name) => name === method)
  const usable = known === 'none' || (known !== undefined && parts.settings.clientAuth.includes(known))
  if (known === undefined || !usable)
    throw oauthError('invalid_client_metadata', 'This token_endpoint_auth_method is not supported')
  const client = parts.clients.register({
    redirectUris,
    settings: { clientAuth: [known] },
    ...(known === 'none' ? { secret: '' } : {}),
    ...(typeof body['client_name'] === 'string' ? { name: body['client_name'] } : {}),
  })
  return json(
    201,
    {
      client_id: client.key,
      ...(client.secret === '' ? {} : { client_secret: client.secret, client_secret_expires_at: 0 }),
      client_id_issued_at: Math.floor(parts.clock.now() / 1000),
      client_name: client.name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: known,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    noStore,
  )
}

function checkedUris(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0) throw oauthError('invalid_redirect_uri', 'redirect_uris is missing')
  for (const uri of value)
    if (!isGoodRedirect(uri)) throw oauthError('invalid_redirect_uri', `${String(uri)} is refused`)
  return value.map(String)
}

function isGoodRedirect(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.includes('#') || !URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}
