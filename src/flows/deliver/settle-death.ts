import { deathMessage, type WorkerDeath } from '#model/deaths.ts'
import { clearDestinationDeaths, countDestinationDeath, freeCursorsOf } from '#store/deaths.ts'
import { findDestination } from '#store/destinations.ts'
import { raiseEvent } from './events.ts'
import { waitAfter } from './failure.ts'
import type { DeliverNeed } from './need.ts'
import type { Stay } from './room.ts'
import { runDestination } from './run.ts'

/** A worker died while it was connected to this destination: it is tried again alone, and parked when that kills the process too. */
export async function settleDeliveryDeath(
  need: Pick<DeliverNeed, 'database' | 'clock' | 'log' | 'deliveryTimes'>,
  destinationId: string,
  death: WorkerDeath,
): Promise<void> {
  const nowMs = need.clock.now()
  const error = `worker_died: ${deathMessage(death)}`
  const state = await need.database.transaction(async (tx) => {
    const before = await findDestination(tx, destinationId)
    if (before === undefined) return undefined
    const nextAttemptAt = nowMs + waitAfter(need, before.deaths)
    const counted = await countDestinationDeath(tx, destinationId, { nowMs, nextAttemptAt, error, alone: death.alone })
    if (counted === undefined) return undefined
    await freeCursorsOf(tx, destinationId, nowMs)
    if (counted.state === 'parked')
      await raiseEvent(need, tx, before, 'destination.parked', { error, failing_since: before.failingSince ?? nowMs })
    return counted.state
  })
  const told = { destination: destinationId, reason: death.reason }
  if (state === 'parked') need.log.error('a destination is parked: it ends every worker', told)
  else if (state !== undefined) need.log.warn('a worker died during a delivery; it runs alone next', told)
}

/** A run with nothing else in its process. When it works, the destination goes back among the others. */
export async function runDestinationAlone(need: DeliverNeed, destinationId: string, stay: Stay): Promise<void> {
  await runDestination(need, destinationId, stay)
  await clearDestinationDeaths(need.database, destinationId)
}
