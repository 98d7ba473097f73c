import { callbackAddress, registrationOfKey } from '../../src/kit/connector/service-addresses.ts'
import { type App, type ServiceKeys, setKeys } from './app.ts'
import type { Tributary } from './start.ts'

/** A service of the lab. */
interface LabService {
  url: string
  register: (app: { name?: string; redirectUris: string[]; key?: string }) => { key: string; secret: string }
}

/** Keys of an app at a service of the lab, which knows its redirect address. */
export interface RegisteredKeys extends Required<ServiceKeys> {
  callback: string
}

/** The redirect address of an app's key at a service, as `keys set` shows it; what a developer enters at the service. */
export function callbackOf(
  { url }: Pick<Tributary, 'url'>,
  { clientId }: Pick<App, 'clientId'>,
  service: string,
  overrides: Record<string, string> = {},
): string {
  return callbackAddress(url, service, registrationOfKey(clientId, service, overrides))
}

interface RegisterFields {
  name?: string
  /** Chosen by the test; default: by the service. */
  key?: string
  /** Default: the address of the service. */
  overrides?: Record<string, string>
  hook_secret?: string
}

/** Registers an app at a service of the lab and sets its keys, as a developer does; `hook_secret` is a field of the keys. */
export async function registerAt(
  tributary: Pick<Tributary, 'url' | 'admin'>,
  app: Pick<App, 'clientId'>,
  service: string,
  at: LabService,
  { name = 'App', key, overrides = { base_url: at.url }, ...fields }: RegisterFields = {},
): Promise<RegisteredKeys> {
  const callback = callbackOf(tributary, app, service, overrides)
  const keys = { ...at.register({ name, redirectUris: [callback], ...(key === undefined ? {} : { key }) }), overrides }
  await setKeys(tributary, app, service, { ...keys, ...fields })
  return { ...keys, callback }
}
