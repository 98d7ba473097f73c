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

/** What an app has keys for, and what it offers to everybody; by the names that services have here. */
interface Reach {
  keys: ReadonlySet<string>
  offered: ReadonlySet<string>
}

/** The services that an app has keys for, and with them those that registered it and that somebody signed in at. */
export async function servicesInReach(
  { database, registry }: Pick<IdentityDeps, 'database' | 'registry'>,
  app: Pick<App, 'id'>,
): Promise<Reach> {
  const named = (names: readonly string[]) =>
    names.map((name) => registry.find(name)?.service).filter((service) => service !== undefined)
  const keys = named((await listServiceKeys(database, app.id)).map(({ service }) => service))
  return { keys: new Set(keys), offered: new Set([...keys, ...named(await servicesInUse(database, app.id))]) }
}

/**
 * The services that an app offers: those that it has keys for, and those that registered it and that somebody signed in at.
 * With names, those of them that it can use, also without keys where none are needed. Only services with a connector, in the order in
 * which people see them.
 */
export async function servicesOf(deps: IdentityDeps, app: App, named?: readonly string[]): Promise<Connector[]> {
  const { registry } = deps
  const { offered } = await servicesInReach(deps, app)
  const listed = inListOrder(withCatalogued(registry, [...offered, ...(named ?? [])]))
  if (named === undefined) return listed.filter(({ service }) => offered.has(service))
  const wanted = new Set(named.map((name) => registry.find(name)?.service))
  return listed.filter(({ service, auth }) => wanted.has(service) && (offered.has(service) || !needsKeys(auth)))
}
