import { join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { connectors } from '#connectors/index.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { loadRegistry } from '../../../../src/boot/registry.ts'

const FOLDERS = ['connectors', 'instance-connectors', 'typed-connectors']

/** Every connector: those of this release, and those of the folders of these tests. */
export async function everyConnector(): Promise<Connector[]> {
  const found = new Map<string, Connector>(connectors.map((each) => [each.service, each]))
  for (const folder of FOLDERS) {
    const config = loadConfig({ TRIBUTARY_CONNECTORS: join(import.meta.dirname, '..', folder) })
    for (const each of (await loadRegistry(config)).list()) {
      const shipped = connectors.find(({ service }) => service === each.service)
      // Some of a folder are shipped ones without endpoints; here they are synced too.
      if (each !== shipped) found.set(each.service, { ...each, endpoints: shipped?.endpoints ?? each.endpoints })
    }
  }
  return [...found.values()].sort((a, b) => (a.service < b.service ? -1 : 1))
}

/** The connector with all of its own addresses at one server, so that a key without overrides leads there. */
export function movedTo(connector: Connector, url: string): Connector {
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/^https?:\/\/(?=[\w.-]+(?:[/:?#]|$))/, `${url}/`)
    if (Array.isArray(value)) return value.map(moved)
    if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moved(inner)]))
  }
  // Further hosts are origins, which have no path to tell them apart.
  const { hosts, pathHosts: _paths, hostsOnInstance: _instance, ...api } = connector.api
  // This server is called at an address without TLS, which the service itself may refuse.
  return {
    ...connector,
    callback: undefined,
    auth: moved(connector.auth) as Connector['auth'],
    api: { ...(moved(api) as Connector['api']), ...(hosts === undefined ? {} : { hosts: [new URL(url).origin] }) },
  }
}
