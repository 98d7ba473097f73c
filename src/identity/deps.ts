import type { Registry } from '#kit/connector/registry.ts'
import type { QuotaSettings } from '#model/apps/quota-variables.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { OperationLog } from '#store/log/operation-log.ts'
import type { Hasher } from '#store/vault.ts'
import type { Upstream } from '#upstream/request/send.ts'
import type { SignInTrace } from './traced-sign-in.ts'

/** Dependencies of sign-in, disconnecting and deletion. */
export interface IdentityDeps {
  database: Database
  keyring: Keyring
  hasher: Hasher
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  config: { baseUrl: string } & Partial<QuotaSettings>
}

/** Dependencies of what the log of operations shows, or must not show any more. */
export type LoggedDeps = IdentityDeps & { operations: OperationLog }

/** Dependencies of one request of a sign-in, which is logged; made by `traceSignIn`. */
export type SignInDeps<Deps extends IdentityDeps = IdentityDeps> = Deps & { trace: SignInTrace }

/** How long a sign-in may take, and the lifetime of its code. */
export const TEN_MINUTES_MS = 10 * 60_000
