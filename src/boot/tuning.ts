import type { DeliveryTimes } from '#flows/push/deps.ts'
import type { SyncTimes } from '#flows/sync/deps.ts'
import type { Clock } from '#platform/clock.ts'
import type { PasswordCost } from '#platform/crypto/password.ts'
import type { WorkerLimits } from '#platform/isolation/protocol.ts'
import type { OnPlanned } from './planning-loop.ts'

/** Times and limits that tests change, for example to see soon what happens when workers die. */
export interface Tuning {
  times?: Partial<SyncTimes>
  deliveryTimes?: Partial<DeliveryTimes>
  /** Hundreds of operators sign in while tests run. */
  passwordCost?: PasswordCost
  /** Only where everything runs in one process. */
  clock?: Clock
  /** Limit: time between two looks for due work. */
  idleMs?: number
  workerLimits?: Partial<WorkerLimits>
  /** Only where everything runs in one process. */
  onPlanned?: OnPlanned
}
