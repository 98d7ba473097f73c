import { deathMessage, type WorkerDeath } from '#model/deaths.ts'
import { findDestination } from '#store/push/destinations.ts'
import { clearDestinationDeaths, countDestinationDeath, freeCursorsOf } from '#store/sync/deaths.ts'
import type { DeliverDeps } from '../deps.ts'
import { raiseEvent } from '../events.ts'
import { waitAfter } from './failure.ts'
import { runDestination } from './run.ts'
import type { RunPermit } from './run-limiter.ts'

/** A worker died while it was connected to this destination: it is tried again alone, and parked when that kills the process too. */
export async function settleDeliveryDeath(
  deps: Pick<DeliverDeps, 'database' | 'clock' | 'log' | 'deliveryTimes'>,
  destinationId: string,
  death: WorkerDeath,
): Promise<void> {
  const nowMs = deps.clock.now()
  const error = `worker_died: ${deathMessage(death)}`
  const state = await deps.database.transaction(async (tx) => {
    const before = await findDestination(tx, destinationId)
    if (before === undefined) return undefined
    const nextAttemptAt = nowMs + waitAfter(deps, before.deaths)
    const counted = await countDestinationDeath(tx, destinationId, { nowMs, nextAttemptAt, error, alone: death.alone })
    if (counted === undefined) return undefined
    await freeCursorsOf(tx, destinationId, nowMs)
    if (counted.state === 'parked')
      await raiseEvent(deps, tx, before, 'destination.parked', { error, failing_since: before.failingSince ?? nowMs })
    return counted.state
  })
  const told = { destination: destinationId, reason: death.reason }
  if (state === 'parked') deps.log.error('a destination is parked: it ends every worker', told)
  else if (state !== undefined) deps.log.warn('a worker died during a delivery; it runs alone next', told)
}

/** A run with nothing else in its process. When it works, the destination goes back among the others. */
export async function runDestinationAlone(deps: DeliverDeps, destinationId: string, permit: RunPermit): Promise<void> {
  await runDestination(deps, destinationId, permit)
  await clearDestinationDeaths(deps.database, destinationId)
}
