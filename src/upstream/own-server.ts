import type { Credential } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'

/** True if people of this service have their own servers. Rate limits of one server then apply to that server only. */
export function hasOwnServers({ auth, ask }: Connector): boolean {
  return (auth.kind === 'oauth2' && auth.home !== undefined) || hostFieldOf(ask) !== undefined
}

/** Host and port of the person's own server; undefined if the service has one for all. */
export function ownServerOf(connector: Connector, credential: Credential | undefined): string | undefined {
  if (!hasOwnServers(connector)) return undefined
  const field = hostFieldOf(connector.ask)
  const answer = field === undefined ? undefined : credential?.instance?.[field]
  return answer ?? URL.parse(credential?.instance?.['api_url'] ?? '')?.host
}

/** The question for the person's server. */
export function hostFieldOf(ask: Connector['ask']): string | undefined {
  return Object.entries(ask ?? {}).find(([, { kind }]) => kind === 'host')?.[0]
}
