import { NO_LEDGER } from '#base/isolation/job-ledger.ts'
import type { Engine } from '#store/engine.ts'
import { startAlone } from './alone-work.ts'
import { startDeliveries } from './deliver-work.ts'
import type { Delivering } from './delivering.ts'
import { startSyncs } from './sync-work.ts'
import type { OnLooked } from './work-loop.ts'

/** All the work in this process: for tests, and for those who want one process alone. Gives a function that ends it. */
export async function startWorkers({
  engine,
  need,
  onLooked,
}: {
  engine: Engine
  need: Delivering
  onLooked?: OnLooked | undefined
}): Promise<() => Promise<void>> {
  const work = { engine, need, ledger: NO_LEDGER, onLooked }
  const stops = [await startSyncs(work), await startDeliveries(work), await startAlone(work)]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
