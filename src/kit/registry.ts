import { AUTH_KINDS } from './auth.ts'
import type { Connector } from './connector.ts'

/** The connectors that this process has loaded, by name and alias. */
export interface Registry {
  find(service: string): Connector | undefined
  list(): Connector[]
}

/** Later connectors win, so that an operator's file overrides a built-in service. */
export function createRegistry(connectors: Connector[]): Registry {
  const byName = new Map<string, Connector>()
  for (const connector of connectors) byName.set(connector.service, connector)
  const listed = [...byName.values()].sort((a, b) => (a.service < b.service ? -1 : 1))
  for (const connector of listed) {
    for (const alias of connector.aliases) if (!byName.has(alias)) byName.set(alias, connector)
  }
  return { find: (service) => byName.get(service), list: () => listed }
}

/** Explains why the default export of an operator's file is not a valid connector; undefined when it is one. */
export function connectorFault(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return 'its default export is not a connector (use defineConnector)'
  const { service, title, docs, auth, api, self, endpoints } = value as Partial<Connector>
  if (typeof service !== 'string' || !/^[a-z][a-z0-9-]{0,49}$/.test(service))
    return '`service` must be lower-case letters, digits and dashes'
  if (typeof title !== 'string' || title === '') return '`title` is missing'
  if (typeof docs !== 'string' || !URL.canParse(docs)) return '`docs` must be the address of the documentation'
  if (auth === undefined || !Object.hasOwn(AUTH_KINDS, auth.kind))
    return `\`auth\` must come from ${Object.values(AUTH_KINDS).join(', ')}`
  if (typeof api?.baseUrl !== 'string') return '`api.baseUrl` is missing'
  if (typeof self?.read !== 'function') return '`self` must come from self()'
  if (Object.hasOwn(endpoints ?? {}, 'self'))
    return 'an endpoint must not be named `self`, which is the person’s own record'
  return undefined
}
