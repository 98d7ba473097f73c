import type { Registry } from '#kit/registry.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { QuotaSettings } from '#platform/quota-variables.ts'
import type { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Hasher } from '#store/vault.ts'
import type { Upstream } from '#upstream/send.ts'

/** Dependencies of sign-in, disconnecting and deletion. */
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

/** How long a sign-in may take, and the lifetime of its code. */
export const TEN_MINUTES_MS = 10 * 60_000

/** The redirect URI registered at the service. One per service, which prevents mix-up attacks. */
export function callbackUrl({ config }: AuthorizeDeps, service: string): string {
  return `${config.baseUrl}/auth/${service}/callback`
}
