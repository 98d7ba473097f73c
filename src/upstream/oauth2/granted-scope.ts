import type { Credential, OAuth2 } from '#kit/auth/auth.ts'
import { reasonOf } from '#platform/errors.ts'
import type { ServiceLocation } from '../addresses/addresses.ts'
import { UpstreamError } from '../request/errors.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'
import { sendDeclared } from './token-exchange.ts'

/**
 * The credential with the scopes that the person granted, where only a call of its own tells. If that call fails, the
 * scope is unknown and every endpoint is tried; the sign-in succeeds.
 */
export async function withGrantedScope(
  upstream: Upstream,
  {
    auth,
    key,
    location,
    credential,
  }: { auth: OAuth2; key: ServiceKey; location: ServiceLocation; credential: Credential },
): Promise<Credential> {
  if (auth.grantedScope === undefined) return credential
  const { scope: _requested, ...rest } = credential
  const granted = await readGrantedScope(upstream, { check: auth.grantedScope, key, location, credential })
  return granted === undefined ? rest : { ...rest, scope: granted.join(auth.scope.separator) }
}

async function readGrantedScope(
  upstream: Upstream,
  {
    check,
    key,
    location,
    credential,
  }: {
    check: NonNullable<OAuth2['grantedScope']>
    key: ServiceKey
    location: ServiceLocation
    credential: Credential
  },
): Promise<string[] | undefined> {
  const unknown = (reason: string) => {
    upstream.log.warn('the granted scopes could not be read', { reason })
    return undefined
  }
  try {
    const { response, fields } = await sendDeclared(upstream, { key, location, credential, tokenExchange: check })
    const isRead = response.status >= 200 && response.status < 300 && fields !== undefined
    const granted = isRead ? check.read(fields) : undefined
    return Array.isArray(granted) ? granted.map(String) : unknown(`status ${response.status}`)
  } catch (error) {
    return unknown(error instanceof UpstreamError ? error.reason : reasonOf(error))
  }
}
