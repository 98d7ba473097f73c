import type { Clock } from '#base/clock.ts'
import type { WorkerLimits } from '#base/isolation/protocol.ts'
import type { DeliveryTimes } from '#flows/deliver/need.ts'
import type { SyncTimes } from '#flows/sync/need.ts'
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
