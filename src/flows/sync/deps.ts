import type { RateLimiter } from '#access/rate-limiter.ts'
import type { Registry } from '#kit/registry.ts'
import type { AccessWatch } from '#model/access.ts'
import type { Chance } from '#platform/chance.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { QuotaSettings } from '#platform/quota-variables.ts'
import type { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Upstream } from '#upstream/send.ts'

export interface SyncDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  upstream: Upstream
  rateLimiter: RateLimiter
  /** Ends a run whose profile leaves; without it, a run ends at its next write. */
  access?: AccessWatch | undefined
  /** The default quotas; absent: the usual ones. */
  config?: Partial<QuotaSettings> | undefined
  /** Spreads profiles over time; absent: `Math.random`. */
  chance?: Chance | undefined
  /** Where the usual ones do not fit. */
  times?: Partial<SyncTimes> | undefined
}

export interface SyncTimes {
  /** Longer than the slowest page usually takes; settled pages move it on. A run that outlasts it is still fenced. */
  leaseMs: number
  /** After this a run stops at the next page and makes room; the rest goes on at once in a new turn. */
  sliceMs: number
  /** A profile's endpoints that are due this soon run in the same turn. */
  coalesceMs: number
  /** For one call, connecting and reading included. */
  callMs: number
  /** Before a call that met a hiccup is made again; the next wait is twice as long. */
  transientRetryMs: number
  /** Before a profile is run again whose worker died. */
  afterDeathMs: number
}

const DEFAULT_TIMES: SyncTimes = {
  leaseMs: 120_000,
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
  return chance ?? Math.random
}

/** Rounded up, so that the many pages of a run write the same value: a time that moves costs every index that holds it. */
export function leaseEnd(deps: Pick<SyncDeps, 'times' | 'clock'>): number {
  const { leaseMs } = timesOf(deps)
  const step = Math.max(1, Math.ceil(leaseMs / 4))
  return Math.ceil((deps.clock.now() + leaseMs) / step) * step
}
