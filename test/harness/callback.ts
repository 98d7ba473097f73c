import { callbackAddress, registrationOfKey } from '../../src/kit/service-addresses.ts'
import type { App } from './app.ts'
import type { Tributary } from './start.ts'

/** The redirect address of an app's key at a service, as `keys set` shows it; what a developer enters at the service. */
export function callbackOf(
  { url }: Pick<Tributary, 'url'>,
  { clientId }: Pick<App, 'clientId'>,
  service: string,
  overrides: Record<string, string> = {},
): string {
  return callbackAddress(url, service, registrationOfKey(clientId, service, overrides))
}
