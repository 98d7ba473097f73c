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

/** The right of one run to deliver one profile. */
export interface Lease {
  /** False when it ran out and another run has it. */
  isMine(): Promise<boolean>
  /** Its new end, for a statement that moves it on anyway. */
  renewed(): number
  end(): void
}

/** A run that lives keeps its lease, however slow the destination is. */
export function keepLease({ database, clock, log, deliveryTimes }: LeaseDeps, cursor: Cursor): Lease {
  const { leaseMs } = deliveryTimesOf({ deliveryTimes })
  let renewedAt = clock.now()
  let isLost = false
  let isFailing = false
  const hold = async () => {
    const askedAt = clock.now()
    isLost = !(await holdCursor(database, cursor, askedAt + leaseMs))
    // Only now: a heartbeat that failed renewed nothing.
    renewedAt = Math.max(renewedAt, askedAt)
    return !isLost
  }
  const renewed = () => {
    renewedAt = clock.now()
    return renewedAt + leaseMs
  }
  const beat = async () => {
    try {
      await hold()
      isFailing = false
    } catch (error) {
      // Once for each time it begins to fail: a database that is away fails every beat of every run.
      if (!isFailing)
        log.warn('the heartbeat of a delivery failed', {
          destination: cursor.destinationId,
          profile: cursor.profileId,
          error,
        })
      isFailing = true
    }
  }
  const beating = setInterval(() => void beat(), leaseMs / 3).unref()
  return {
    renewed,
    isMine: async () => !isLost && (clock.now() - renewedAt < leaseMs / 2 || hold()),
    end: () => clearInterval(beating),
  }
}
