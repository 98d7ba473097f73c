import { NO_LEDGER } from '#platform/isolation/job-ledger.ts'
import { startAloneLane } from './alone-lane.ts'
import { startDeliverLane } from './deliver-lane.ts'
import type { DeliveryDependencies } from './delivery-deps.ts'
import { type LaneOptions, startSyncLane } from './sync-lane.ts'

/** Runs all lanes in this process, without worker processes. Returns a function that stops them. */
export function startInlineWorkers({
  deps,
  ...options
}: LaneOptions & { deps: DeliveryDependencies }): () => Promise<void> {
  const work = { deps, ledger: NO_LEDGER, ...options }
  const stops = [startSyncLane(work), startDeliverLane(work), startAloneLane(work)]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
