import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { servicesInUse } from '#store/apps/registrations.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { AuthorizeDeps } from './deps.ts'

/**
 * The services that an app offers: those that it has keys for, and those that registered it and that somebody signed in at.
 * Only services with a connector.
 */
export async function servicesOf({ database, registry }: AuthorizeDeps, app: App): Promise<Connector[]> {
  const keys = await listServiceKeys(database, app.id)
  const names = new Set([...keys.map(({ service }) => service), ...(await servicesInUse(database, app.id))])
  return [...names].map((service) => registry.find(service)).filter((connector) => connector !== undefined)
}
