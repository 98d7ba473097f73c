import { needsKeys } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { AuthorizeDeps } from './deps.ts'

/** The services that an app can use: those that it has keys for, and those that need none. */
export async function servicesOf({ database, registry }: AuthorizeDeps, app: App): Promise<Connector[]> {
  const keys = new Set((await listServiceKeys(database, app.id)).map(({ service }) => registry.find(service)?.service))
  return registry.list().filter(({ service, auth }) => keys.has(service) || !needsKeys(auth))
}
