import { hostFieldOf } from '#kit/auth/ask.ts'
import type { Auth, Credential } from '#kit/auth/auth.ts'
import { isOnNamedServer } from '#kit/auth/server-native-id.ts'
import { namesServer } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { fillTypedAddress } from './typed-address.ts'

/** True if people of this service have their own servers. Rate limits of one server then apply to that server only. */
export function hasOwnServers({ auth, ask }: Connector): boolean {
  const isOwn = auth.kind === 'oauth2' && auth.home !== undefined
  return isOwn || hostFieldOf(ask) !== undefined || isOnNamedServer(auth) || isNamedSource(auth)
}

/** Host and port of the person's own server; undefined if the service has one for all. */
export function ownServerOf(connector: Connector, credential: Credential | undefined): string | undefined {
  if (!hasOwnServers(connector)) return undefined
  const { auth, api, ask } = connector
  const instance = credential?.instance ?? {}
  const field = hostFieldOf(ask)
  const answer = field === undefined ? undefined : instance[field]
  if (answer !== undefined) return answer
  const fixed = auth.kind === 'oauth2' ? '' : fillTypedAddress(auth, api.baseUrl, instance)
  return URL.parse(instance['api_url'] ?? fixed)?.host
}

function isNamedSource(auth: Auth): boolean {
  return auth.kind === 'none' && namesServer(auth.fields)
}
