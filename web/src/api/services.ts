import { call } from '@tributary-hub/client/core.ts'
import type { Services } from '@tributary-hub/client/generated/api.ts'
import { asApp } from './core.ts'
import { keyOf } from './keys.ts'

/** The options of a query for the services that the app syncs or has keys for, with everything about them. */
export function describedServices(clientId: string) {
  return {
    queryKey: keyOf('GET /services', clientId),
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      call(asApp(clientId), 'GET /services', { options: { signal } }) as Promise<Services>,
  }
}
