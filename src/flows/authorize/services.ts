import { registrationOf } from '#access/register-app.ts'
import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { AuthorizeDeps } from './deps.ts'

/** The services that an app has keys for and that have a connector, and those that register it by themselves. */
export async function servicesOf({ database, registry }: AuthorizeDeps, app: App): Promise<Connector[]> {
  const keys = new Set((await listServiceKeys(database, app.id)).map(({ service }) => registry.find(service)?.service))
  return registry
    .list()
    .filter((connector) => keys.has(connector.service) || registrationOf(connector) !== undefined)
}
