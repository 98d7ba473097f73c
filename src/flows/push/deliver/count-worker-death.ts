import { deathMessage, type WorkerDeath } from '#model/sync/deaths.ts'
import { findDestination } from '#store/push/destinations.ts'
import { countDestinationDeath, freeCursorsOf } from '#store/sync/deaths.ts'
import type { DeliverDeps } from '../deps.ts'
import { raiseEvent } from '../events.ts'
import { retryDelayMs } from './settle-failure.ts'

/**
 * A worker died while it was connected to this destination. The next run has a process of its own, and if that dies too, the
 * destination is parked.
 */
export async function countDeliveryDeath(
  deps: Pick<DeliverDeps, 'database' | 'clock' | 'log' | 'deliveryTimes'>,
  destinationId: string,
  death: WorkerDeath,
): Promise<void> {
  const nowMs = deps.clock.now()
  const error = `worker_died: ${deathMessage(death)}`
  const state = await deps.database.transaction(async (tx) => {
    const before = await findDestination(tx, destinationId)
    if (before === undefined) return undefined
    const nextAttemptAt = nowMs + retryDelayMs(deps, before.deaths)
    const counted = await countDestinationDeath(tx, destinationId, { nowMs, nextAttemptAt, error, alone: death.alone })
    if (counted === undefined) return undefined
    if (counted.state === 'parked')
      await raiseEvent(deps, tx, before, 'destination.parked', { error, failing_since: before.failingSince ?? nowMs })
    return counted.state
  })
  // After a kill in between, the leases of the dead worker end by themselves.
  if (state !== undefined) await freeCursorsOf(deps.database, destinationId, nowMs)
  const detail = { destination: destinationId, reason: death.reason }
  if (state === 'parked') deps.log.error('a destination is parked, because every worker that ran it died', detail)
  else if (state !== undefined) deps.log.warn('a worker died during a delivery; the next run is isolated', detail)
}
