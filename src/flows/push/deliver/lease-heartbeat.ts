import type { Clock } from '#platform/clock.ts'
import type { Queries } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { type Cursor, holdCursor } from '#store/push/leases.ts'
import { type DeliverDeps, deliveryTimesOf } from '../deps.ts'

export interface LeaseDeps extends Pick<DeliverDeps, 'deliveryTimes'> {
  database: Queries
  clock: Clock
  log: Log
}

/** The exclusive right of one run to deliver one profile. */
export interface Lease {
  /** False when the lease expired and another run has it. */
  isHeld(): Promise<boolean>
  /** The new expiry, for a statement that writes it together with other columns. */
  renewedUntil(): number
  /** Stops the heartbeat. */
  stop(): void
}

/** Renews the lease while the run lives, however slow the destination is. */
export function keepLease({ database, clock, log, deliveryTimes }: LeaseDeps, cursor: Cursor): Lease {
  const { leaseMs } = deliveryTimesOf({ deliveryTimes })
  let renewedAt = clock.now()
  let isLost = false
  let isFailing = false
  const renew = async () => {
    const sentAt = clock.now()
    isLost = !(await holdCursor(database, cursor, sentAt + leaseMs))
    // Set after the statement: a heartbeat that failed renewed nothing.
    renewedAt = Math.max(renewedAt, sentAt)
    return !isLost
  }
  const renewedUntil = () => {
    renewedAt = clock.now()
    return renewedAt + leaseMs
  }
  const beat = async () => {
    try {
      await renew()
      isFailing = false
    } catch (error) {
      // Logged when failing begins, not at every beat: while the database is away, every beat of every run fails.
      if (!isFailing)
        log.warn('the heartbeat of a delivery failed', {
          destination: cursor.destinationId,
          profile: cursor.profileId,
          error,
        })
      isFailing = true
    }
  }
  const timer = setInterval(() => void beat(), leaseMs / 3).unref()
  return {
    renewedUntil,
    isHeld: async () => !isLost && (clock.now() - renewedAt < leaseMs / 2 || renew()),
    stop: () => clearInterval(timer),
  }
}
