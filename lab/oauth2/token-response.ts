import { form, json, type Reply } from '../base/reply.ts'
import { noStore } from './error.ts'
import type { Token } from './grants.ts'
import type { OAuth2Parts } from './server-parts.ts'
import type { OAuth2Settings } from './settings.ts'

/** RFC 6749 5.1 and the deviating formats of some services. */
export function tokenResponse(parts: OAuth2Parts, access: Token, refreshToken: string | undefined): Reply {
  const settings = access.grant.client.settings()
  const fields: Record<string, string | number> = {
    access_token: access.value,
    token_type: 'Bearer',
    ...expiryFields(settings, access),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(settings.scopeIn === 'response' ? { scope: access.scopes.join(settings.scopeSeparator) } : {}),
    ...parts.tokenFields?.(access.grant.person),
  }
  const texts = () => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  switch (settings.tokenResponse) {
    case 'json':
      return json(200, fields, noStore)
    case 'form':
      return form(200, texts(), noStore)
    case 'nested':
      return json(200, { [settings.nestedKey]: fields }, noStore)
    case 'wrong-type':
      return json(200, fields, { ...noStore, 'content-type': 'text/html; charset=utf-8' })
    default:
      return settings.tokenResponse satisfies never
  }
}

function expiryFields(settings: OAuth2Settings, access: Token): Record<string, string | number> {
  if (!Number.isFinite(access.expiresAtMs) || settings.expiry === 'none') return {}
  const seconds = Math.round((access.expiresAtMs - access.issuedAtMs) / 1000)
  if (settings.expiry === 'expires_at') return { expires_at: Math.floor(access.expiresAtMs / 1000) }
  return { expires_in: settings.expiry === 'expires_in_text' ? String(seconds) : seconds }
}
