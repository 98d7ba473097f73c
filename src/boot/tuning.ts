import type { DeliveryTimes } from '#flows/push/deps.ts'
import type { SyncTimes } from '#flows/sync/deps.ts'
import type { Clock } from '#platform/clock.ts'
import type { WorkerLimits } from '#platform/isolation/protocol.ts'
import type { OnLooked } from './work-loop.ts'

/** For those who cannot wait: tests of what happens when workers die. */
export interface Tuning {
  times?: Partial<SyncTimes>
  deliveryTimes?: Partial<DeliveryTimes>
  heartbeatS?: number
  /** Only where everything runs in one process. */
  clock?: Clock
  workerLimits?: Partial<WorkerLimits>
  /** Hears after each look for due work how much it found. Only where everything runs in one process. */
  onLooked?: OnLooked
}
