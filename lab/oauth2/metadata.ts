import { json, type Reply } from '../base/reply.ts'
import type { OAuth2Parts } from './server-parts.ts'

/** RFC 8414. */
export function metadataEndpoint(parts: OAuth2Parts): Reply {
  const { settings, paths } = parts
  if (!settings.metadata) return json(404, { error: 'not_found' })
  const issuer = parts.url()
  const at = (path: string) => `${issuer}${path}`
  return json(200, {
    issuer,
    authorization_endpoint: at(paths.authorize),
    token_endpoint: at(paths.token),
    ...(settings.revocation ? { revocation_endpoint: at(paths.revoke) } : {}),
    ...(settings.introspection ? { introspection_endpoint: at(paths.introspect) } : {}),
    ...(settings.registration ? { registration_endpoint: at(paths.register) } : {}),
    ...(settings.par === 'off' ? {} : { pushed_authorization_request_endpoint: at(paths.par) }),
    require_pushed_authorization_requests: settings.par === 'required',
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', ...(settings.refresh === 'none' ? [] : ['refresh_token'])],
    scopes_supported: Object.keys(settings.scopes),
    token_endpoint_auth_methods_supported: settings.clientAuth.filter((method) => method !== 'query'),
    ...(settings.pkce === 'off' || settings.pkce === 'refused' ? {} : { code_challenge_methods_supported: ['S256'] }),
    authorization_response_iss_parameter_supported: settings.iss !== 'off',
  })
}
