import type { RateLimiter } from '#access/rate-limiter.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { AccessWatch } from '#model/accounts/access.ts'
import type { QuotaSettings } from '#model/apps/quota-variables.ts'
import { type Chance, systemChance } from '#platform/chance.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { OperationLog } from '#store/log/operation-log.ts'
import type { Upstream } from '#upstream/request/send.ts'

export interface SyncDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  rateLimiter: RateLimiter
  /** Aborts a run whose profile is disconnected; without it, the run fails at its next write. */
  access?: AccessWatch | undefined
  /** Quotas of apps that set none; absent: the built-in defaults. */
  config?: Partial<QuotaSettings> | undefined
  /** Spreads profiles over time; absent: `systemChance`. */
  chance?: Chance | undefined
  /** Where runs are logged; absent: they are not. */
  operations?: OperationLog | undefined
  /** Overrides of the defaults below. */
  times?: Partial<SyncTimes> | undefined
}

export interface SyncTimes {
  /** After this the profile of a process that died or froze goes to another one. A live run extends its lease. */
  leaseMs: number
  /**
   * After this a run yields at the next page, so that other profiles get their share; a new run continues it at once.
   */
  sliceMs: number
  /** A profile's endpoints that are due this soon are read in the same run. */
  coalesceMs: number
  /** Timeout of one call, connecting and reading included. */
  callMs: number
  /** Wait before the first transient retry; each further wait is twice as long. */
  transientRetryMs: number
  /** Wait before a profile whose worker died is run again. */
  afterDeathMs: number
}

const DEFAULT_TIMES: SyncTimes = {
  leaseMs: 30_000,
  sliceMs: 15_000,
  coalesceMs: 60_000,
  callMs: 60_000,
  transientRetryMs: 400,
  afterDeathMs: 5000,
}

export function timesOf({ times }: Pick<SyncDeps, 'times'>): SyncTimes {
  return { ...DEFAULT_TIMES, ...times }
}

export function chanceOf({ chance }: Pick<SyncDeps, 'chance'>): Chance {
  return chance ?? systemChance
}

/**
 * Rounded up, so that the many pages of a run write the same value: a changed time updates every index that contains
 * it.
 */
export function leaseEnd(deps: Pick<SyncDeps, 'times' | 'clock'>): number {
  const { leaseMs } = timesOf(deps)
  const step = Math.max(1, Math.ceil(leaseMs / 4))
  return Math.ceil((deps.clock.now() + leaseMs) / step) * step
}
