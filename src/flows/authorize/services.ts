import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { AuthorizeDeps } from './deps.ts'

/** The services that an app has keys for and that have a connector. */
export async function servicesOf({ database, registry }: AuthorizeDeps, app: App): Promise<Connector[]> {
  const keys = await listServiceKeys(database, app.id)
  return keys.map(({ service }) => registry.find(service)).filter((connector) => connector !== undefined)
}
