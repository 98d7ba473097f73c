import { needsKeys } from '#kit/auth.ts'
import type { Connector } from '#kit/connector.ts'
import type { App } from '#model/app.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { AuthorizeDeps } from './deps.ts'

/** The services that an app has keys for; with names, those of them that it can use, also without keys where none are needed. */
export async function servicesOf(
  { database, registry }: AuthorizeDeps,
  app: App,
  named?: readonly string[],
): Promise<Connector[]> {
  const keys = new Set((await listServiceKeys(database, app.id)).map(({ service }) => registry.find(service)?.service))
  if (named === undefined) return registry.list().filter(({ service }) => keys.has(service))
  const wanted = new Set(named.map((name) => registry.find(name)?.service))
  return registry.list().filter(({ service, auth }) => wanted.has(service) && (keys.has(service) || !needsKeys(auth)))
}
