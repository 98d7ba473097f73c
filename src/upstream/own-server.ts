import type { Credential } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'

/** True if people of this service have their own servers. Rate limits of one server then apply to that server only. */
export function hasOwnServers({ auth }: Connector): boolean {
  return auth.kind === 'oauth2' && auth.home !== undefined
}

/** Host and port of the person's own server; undefined if the service has one for all. */
export function ownServerOf(connector: Connector, credential: Credential | undefined): string | undefined {
  if (!hasOwnServers(connector)) return undefined
  return URL.parse(credential?.instance?.['api_url'] ?? '')?.host
}
