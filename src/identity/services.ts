import { needsKeys } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { App } from '#model/apps/app.ts'
import { inListOrder } from '#model/sync/service-order.ts'
import { servicesInUse } from '#store/apps/registrations.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { IdentityDeps } from './deps.ts'

/** The connectors, and of the catalogue those services that are named. */
export function withCatalogued(registry: Registry, names: readonly string[]): Connector[] {
  const listed = registry.list()
  const known = new Set(listed)
  const found = names.map((service) => registry.find(service)).filter((each) => each !== undefined)
  return [...listed, ...new Set(found.filter((each) => !known.has(each)))]
}

/** Whether the app lets its people connect a service. What is connected already does not depend on it. */
export function mayConnect({ services }: Pick<App, 'services'>, { service }: Pick<Connector, 'service'>): boolean {
  return services === undefined || services.includes(service)
}

/** What an app has keys for, and what it offers to everybody; by the names that services have here. */
interface Reach {
  keys: ReadonlySet<string>
  offered: ReadonlySet<string>
}

/**
 * Offered are the services that the app has keys for, and those that registered it and that somebody signed in at. An app that
 * restricts them offers only what it lists, and of that also services that need no keys.
 */
export async function servicesInReach(
  { database, registry }: Pick<IdentityDeps, 'database' | 'registry'>,
  app: Pick<App, 'id' | 'services'>,
): Promise<Reach> {
  const found = (names: readonly string[]) =>
    names.map((name) => registry.find(name)).filter((connector) => connector !== undefined)
  const keyed = found((await listServiceKeys(database, app.id)).map(({ service }) => service))
  const inUse = found(await servicesInUse(database, app.id))
  const keyless = found(app.services ?? []).filter(({ auth }) => !needsKeys(auth))
  const offered = [...keyed, ...inUse, ...keyless].filter((connector) => mayConnect(app, connector))
  const namesOf = (connectors: readonly Connector[]) => new Set(connectors.map(({ service }) => service))
  return { keys: namesOf(keyed), offered: namesOf(offered) }
}

/**
 * The services that an app offers, in the order in which people see them. With names, those of them that it can use, also without keys
 * where none are needed.
 */
export async function servicesOf(deps: IdentityDeps, app: App, named?: readonly string[]): Promise<Connector[]> {
  const { registry } = deps
  const { offered } = await servicesInReach(deps, app)
  const listed = inListOrder(withCatalogued(registry, [...offered, ...(named ?? [])]))
  if (named === undefined) return listed.filter(({ service }) => offered.has(service))
  const wanted = new Set(named.map((name) => registry.find(name)?.service))
  return listed.filter(
    (connector) =>
      wanted.has(connector.service) &&
      mayConnect(app, connector) &&
      (offered.has(connector.service) || !needsKeys(connector.auth)),
  )
}
