import type { Registry } from '#kit/registry.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { QuotaSettings } from '#platform/quota-variables.ts'
import type { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Hasher } from '#store/vault.ts'
import type { Upstream } from '#upstream/send.ts'

/** What signing in needs: the store to remember, the registry to know services, upstream to reach them. */
export interface AuthorizeDeps {
  database: Database
  keyring: Keyring
  hasher: Hasher
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  config: { baseUrl: string } & Partial<QuotaSettings>
}

/** How long a sign-in may take, and how long its code lives. */
export const TEN_MINUTES_MS = 10 * 60_000

/** Where the service sends the browser back to. One per service, so that answers of two services are never mixed up. */
export function callbackUrl({ config }: AuthorizeDeps, service: string): string {
  return `${config.baseUrl}/auth/${service}/callback`
}
