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

/**
 * The services that an app offers: those that it has keys for, and those that registered it and that somebody signed in at.
 * With names, those of them that it can use, also without keys where none are needed. Only services with a connector, in the order in
 * which people see them.
 */
export async function servicesOf(
  { database, registry }: IdentityDeps,
  app: App,
  named?: readonly string[],
): Promise<Connector[]> {
  const keys = await listServiceKeys(database, app.id)
  const names = [...keys.map(({ service }) => service), ...(await servicesInUse(database, app.id))]
  const offered = new Set(names.map((service) => registry.find(service)?.service))
  const listed = inListOrder(withCatalogued(registry, [...names, ...(named ?? [])]))
  if (named === undefined) return listed.filter(({ service }) => offered.has(service))
  const wanted = new Set(named.map((name) => registry.find(name)?.service))
  return listed.filter(({ service, auth }) => wanted.has(service) && (offered.has(service) || !needsKeys(auth)))
}
