import type { Registry } from '#kit/connector/registry.ts'
import type { AccessWatch } from '#model/accounts/access.ts'
import type { Clock } from '#platform/clock.ts'
import type { Keyring } from '#platform/crypto/sealing.ts'
import type { Egress } from '#platform/egress/guard.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { Connections } from './connections.ts'
import type { PushCounters } from './delivery-counters.ts'

export interface DeliverDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  egress: Egress
  connections: Connections
  pushCounters: PushCounters
  /** Ends a run whose profile is disconnected; without it, a run ends after the batch that it writes. */
  access?: AccessWatch | undefined
  /** Overrides of the defaults, for tests. */
  deliveryTimes?: Partial<DeliveryTimes> | undefined
}

export type PlanDeps = Pick<DeliverDeps, 'database' | 'clock'>

export interface DeliveryTimes {
  /** A live run renews its lease; one that died or froze loses it after this time. */
  leaseMs: number
  /** After this time a run yields if another one waits; the rest follows in a new run. */
  sliceMs: number
  /** A destination that fails this long is parked; nothing is dropped. */
  parkAfterMs: number
  /** The wait after the first failure; each further one doubles it, up to an hour. */
  firstWaitMs: number
  /** How long one request compares rows; requests end after a minute. */
  verifyMs: number
}

const DEFAULT_TIMES: DeliveryTimes = {
  leaseMs: 30_000,
  sliceMs: 3000,
  parkAfterMs: 3 * 86_400_000,
  firstWaitMs: 1000,
  verifyMs: 30_000,
}

export function deliveryTimesOf({ deliveryTimes }: Pick<DeliverDeps, 'deliveryTimes'>): DeliveryTimes {
  return { ...DEFAULT_TIMES, ...deliveryTimes }
}

/** Bounds what one run has in memory, whatever the size of a backfill. */
export const BATCH = { rows: 500, bytes: 1024 * 1024 }
/** Concurrent runs of one process into one destination. */
export const RUNS_PER_DESTINATION = 3
