import { runDestinationAlone } from '#flows/push/deliver/run-destination.ts'
import type { RunPermit } from '#flows/push/deliver/run-limiter.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import { type DeliverLane, runDelivery } from './deliver-lane.ts'
import { runSync, type SyncLane } from './sync-lane.ts'

/** Runs the jobs with which a worker died, one at a time. Returns a function that stops the lane. */
export async function startAloneLane({ engine, deps, ledger }: SyncLane & DeliverLane): Promise<() => Promise<void>> {
  await engine.work('alone', ({ data, jobId }, signal) => {
    if (!('destinationId' in data)) return runSync({ deps, ledger }, data, { jobId, queue: 'alone' }, signal)
    const { destinationId } = data
    // Always wanted by others, so that it ends after one slice.
    const permit: Omit<RunPermit, 'step'> = { others: 0, isWanted: () => true, signal, alone: true }
    const subject: JobSubject = { kind: 'destination', destinationId, queue: 'alone', jobId }
    return runDelivery({ deps, ledger }, subject, (step) =>
      runDestinationAlone(deps, destinationId, { ...permit, step }),
    )
  })
  return async () => {}
}
