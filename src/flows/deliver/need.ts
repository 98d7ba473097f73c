import type { Clock } from '#base/clock.ts'
import type { Log } from '#base/log.ts'
import type { Keyring } from '#base/sealing.ts'
import type { Registry } from '#kit/registry.ts'
import type { AccessWatch } from '#model/access.ts'
import type { Database } from '#store/database.ts'
import type { Engine } from '#store/engine.ts'
import type { Egress } from '#upstream/egress/guard.ts'
import type { Connections } from './connections.ts'
import type { Tallies } from './tally.ts'

export interface DeliverNeed {
  database: Database
  keyring: Keyring
  clock: Clock
  log: Log
  registry: Registry
  egress: Egress
  connections: Connections
  tallies: Tallies
  /** Ends a run whose profile leaves; without it, a run ends after the batch it writes. */
  access?: AccessWatch | undefined
  /** Where the usual ones do not fit. */
  deliveryTimes?: Partial<DeliveryTimes> | undefined
}

export type PlanNeed = Pick<DeliverNeed, 'database' | 'clock'> & { engine: Pick<Engine, 'wake' | 'waiting'> }

export interface DeliveryTimes {
  /** A run that lives moves its lease on; one that is dead or frozen loses it after this. */
  leaseMs: number
  /** After this a run makes room if somebody waits; what is left goes on in a new turn. */
  turnMs: number
  /** Retried this long, with growing waits; then parked, with nothing dropped. */
  patienceMs: number
  /** The first wait after a failure; each next one is twice as long, up to an hour. */
  firstWaitMs: number
  /** So long one request compares; requests end after a minute. */
  verifyMs: number
}

const USUAL: DeliveryTimes = {
  leaseMs: 30_000,
  turnMs: 3000,
  patienceMs: 3 * 86_400_000,
  firstWaitMs: 1000,
  verifyMs: 30_000,
}

export function deliveryTimesOf({ deliveryTimes }: Pick<DeliverNeed, 'deliveryTimes'>): DeliveryTimes {
  return { ...USUAL, ...deliveryTimes }
}

/** So much is in hand at once for one run, whatever the size of a backfill. */
export const BATCH = { rows: 500, bytes: 1024 * 1024 }
/** So many runs of one process write to one destination at once. */
export const RUNS_PER_DESTINATION = 3
