import type { Registry } from '#kit/registry.ts'
import type { AccessWatch } from '#model/access.ts'
import type { Clock } from '#platform/clock.ts'
import type { Egress } from '#platform/egress/guard.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Keyring } from '#platform/sealing.ts'
import type { Log } from '#platform/telemetry/log.ts'
import type { JobEngine } from '#store/queues.ts'
import type { Connections } from './connections.ts'
import type { PushCounters } from './deliver/counters.ts'

export interface DeliverDeps {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  egress: Egress
  connections: Connections
  pushCounters: PushCounters
  /** Ends a run whose profile leaves; without it, a run ends after the batch it writes. */
  access?: AccessWatch | undefined
  /** Where the usual ones do not fit. */
  deliveryTimes?: Partial<DeliveryTimes> | undefined
}

export type PlanDeps = Pick<DeliverDeps, 'database' | 'clock'> & { engine: Pick<JobEngine, 'wake' | 'waiting'> }

export interface DeliveryTimes {
  /** A run that lives moves its lease on; one that is dead or frozen loses it after this. */
  leaseMs: number
  /** After this a run makes room if somebody waits; what is left goes on in a new turn. */
  sliceMs: number
  /** Retried this long, with growing waits; then parked, with nothing dropped. */
  patienceMs: number
  /** The first wait after a failure; each next one is twice as long, up to an hour. */
  firstWaitMs: number
  /** So long one request compares; requests end after a minute. */
  verifyMs: number
}

const DEFAULT_TIMES: DeliveryTimes = {
  leaseMs: 30_000,
  sliceMs: 3000,
  patienceMs: 3 * 86_400_000,
  firstWaitMs: 1000,
  verifyMs: 30_000,
}

export function deliveryTimesOf({ deliveryTimes }: Pick<DeliverDeps, 'deliveryTimes'>): DeliveryTimes {
  return { ...DEFAULT_TIMES, ...deliveryTimes }
}

/** So much is in hand at once for one run, whatever the size of a backfill. */
export const BATCH = { rows: 500, bytes: 1024 * 1024 }
/** So many runs of one process write to one destination at once. */
export const RUNS_PER_DESTINATION = 3
