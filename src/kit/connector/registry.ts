import { askFault } from '../auth/ask.ts'
import { childrenFault } from '../endpoints/child-endpoints.ts'
import type { Connector } from './connector.ts'
import { definitionFaults } from './connector-faults.ts'

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
  const faults = definitionFaults(value)
  if (faults.length > 0) return faults.map(({ field, expected }) => `\`${field}\` ${expected}`).join('; ')
  const { ask, endpoints } = value as Connector
  return askFault(ask) ?? childrenFault(endpoints)
}
