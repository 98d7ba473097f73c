import '#platform/tune-worker-heap.ts'
import { NO_LEDGER } from '#platform/isolation/job-ledger.ts'
import type { JobEngine } from '#store/queues.ts'
import { startAloneLane } from './alone-lane.ts'
import { startDeliverLane } from './deliver-lane.ts'
import type { DeliveryDependencies } from './delivery-deps.ts'
import type { LoopDeps } from './planning-loop.ts'
import { startSyncLane } from './sync-lane.ts'

/** Runs all lanes in this process, without worker processes. Returns a function that stops them. */
export async function startInlineWorkers({
  engine,
  deps,
  ...options
}: Pick<LoopDeps, 'idleMs' | 'onPlanned'> & { engine: JobEngine; deps: DeliveryDependencies }): Promise<
  () => Promise<void>
> {
  const work = { engine, deps, ledger: NO_LEDGER, ...options }
  const stops = [await startSyncLane(work), await startDeliverLane(work), await startAloneLane(work)]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
