import { askFault } from '../auth/ask.ts'
import { childrenFault } from '../endpoints/child-endpoints.ts'
import type { Connector } from './connector.ts'
import { definitionFaults } from './connector-faults.ts'
import { type IndexedService, indexServices, type ServiceSummary, summaryOf } from './service-index.ts'

/** The connectors that this process has loaded, by name and alias, and beside them the services of the catalogue. */
export interface Registry {
  find(service: string): Connector | undefined
  /** Connectors; without the catalogue, whose services have nothing to sync. */
  list(): Connector[]
  /** Every service that can be used by name, made once, when it is first asked for. Nothing is expanded for it. */
  index(): readonly IndexedService[]
  mark(service: string): ServiceMark | undefined
}

/** The mark of a service: its colour as `#rrggbb`, and the path of an SVG of 24 by 24. */
export interface ServiceMark {
  color: string
  path: string
}

/** Entries that are expanded when they are asked for. */
export interface CatalogueSource {
  find(service: string): Connector | undefined
  summaries(): ServiceSummary[]
  /** Also of services with a connector. */
  mark(service: string): ServiceMark | undefined
}

const NO_CATALOGUE: CatalogueSource = { find: () => undefined, summaries: () => [], mark: () => undefined }

/** Later connectors win, so that an operator's file overrides a built-in service. */
export function createRegistry(connectors: Connector[], catalogue: CatalogueSource = NO_CATALOGUE): Registry {
  const byName = new Map<string, Connector>()
  for (const connector of connectors) byName.set(connector.service, connector)
  const listed = [...byName.values()].sort((a, b) => (a.service < b.service ? -1 : 1))
  for (const connector of listed) {
    for (const alias of connector.aliases) if (!byName.has(alias)) byName.set(alias, connector)
  }
  let index: IndexedService[] | undefined
  return {
    find: (service) => byName.get(service) ?? catalogue.find(service),
    list: () => listed,
    mark: (service) => catalogue.mark(service),
    index: () => {
      index ??= indexServices([
        ...listed.map(summaryOf),
        ...catalogue.summaries().filter(({ service }) => !byName.has(service)),
      ])
      return index
    },
  }
}

/** Explains why the default export of an operator's file is not a valid connector; undefined when it is one. */
export function connectorFault(value: unknown): string | undefined {
  const faults = definitionFaults(value)
  if (faults.length > 0) return faults.map(({ field, expected }) => `\`${field}\` ${expected}`).join('; ')
  const { ask, endpoints } = value as Connector
  return askFault(ask) ?? childrenFault(endpoints)
}
