import { runDestinationAlone } from '#flows/push/deliver/run-destination.ts'
import type { RunPermit } from '#flows/push/deliver/run-limiter.ts'
import type { JobSubject } from '#model/deaths.ts'
import { type DeliverWork, deliver } from './deliver-work.ts'
import { runSync, type SyncWork } from './sync-work.ts'

/** What a worker died of: one job at a time in this process. */
export async function startAlone({ engine, deps, ledger }: SyncWork & DeliverWork): Promise<() => Promise<void>> {
  await engine.work('alone', ({ data, jobId }, signal) => {
    if (!('destinationId' in data)) return runSync({ deps, ledger }, data, { jobId, queue: 'alone' }, signal)
    const { destinationId } = data
    // Somebody always waits here: it makes room after one turn.
    const permit: Omit<RunPermit, 'step'> = { others: 0, isWanted: () => true, signal, alone: true }
    const subject: JobSubject = { kind: 'destination', destinationId, queue: 'alone', jobId }
    return deliver({ deps, ledger }, subject, (step) => runDestinationAlone(deps, destinationId, { ...permit, step }))
  })
  return async () => {}
}
