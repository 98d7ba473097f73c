import { NO_LEDGER } from '#platform/isolation/job-ledger.ts'
import type { JobEngine } from '#store/queues.ts'
import { startAlone } from './alone-work.ts'
import { startDeliveries } from './deliver-work.ts'
import type { Delivering } from './delivery-deps.ts'
import { startSyncs } from './sync-work.ts'
import type { OnLooked } from './work-loop.ts'

/** All the work in this process: for tests, and for those who want one process alone. Gives a function that ends it. */
export async function startWorkers({
  engine,
  deps,
  onLooked,
}: {
  engine: JobEngine
  deps: Delivering
  onLooked?: OnLooked | undefined
}): Promise<() => Promise<void>> {
  const work = { engine, deps, ledger: NO_LEDGER, onLooked }
  const stops = [await startSyncs(work), await startDeliveries(work), await startAlone(work)]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
