import { findOldAppWakes, finishAppWake } from '#store/sync/app-wakes.ts'
import { wakeEndpointsOf } from '#store/sync/endpoint-requests.ts'
import type { SyncDeps } from '../deps.ts'

type WakeDeps = Pick<SyncDeps, 'database' | 'clock'>

/** A request that is not done after this time was left by a process that is gone. */
const ABANDONED_MS = 120_000

/** Makes the endpoints due that the rules of an app had stopped, after the transaction that changed and requested it. */
export async function wakeApp({ database, clock }: WakeDeps, appId: string, requestedAt: number): Promise<void> {
  await wakeEndpointsOf(database, appId, clock.now())
  await finishAppWake(database, appId, requestedAt)
}

/** For maintenance: does what a process left that was killed between a change and its wake-ups. Returns for how many apps. */
export async function continueAppWakes(deps: WakeDeps): Promise<number> {
  const left = await findOldAppWakes(deps.database, deps.clock.now() - ABANDONED_MS)
  for (const { appId, requestedAt } of left) await wakeApp(deps, appId, requestedAt)
  return left.length
}
