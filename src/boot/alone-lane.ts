import { findDueAlone } from '#flows/push/deliver/plan.ts'
import { runDestinationAlone } from '#flows/push/deliver/run-destination.ts'
import type { RunPermit } from '#flows/push/deliver/run-limiter.ts'
import { leaseEnd } from '#flows/sync/deps.ts'
import { createRunSlots } from '#platform/waiting/run-slots.ts'
import { profilesDueAlone } from '#store/sync/due-alone.ts'
import { leaseAlone } from '#store/sync/due-profiles.ts'
import { AWAITED } from './awaited.ts'
import { type DeliverLane, runDelivery } from './deliver-lane.ts'
import { startPlanningLoop } from './planning-loop.ts'
import type { SyncLane } from './sync-lane.ts'
import { createSyncRuns } from './sync-runs.ts'

const PLAN_EVERY_MS = 500
/** Its work waited for a worker process anyway. */
const PATIENCE = 4
/** Limit: profiles that run alone of which one look tries to lease one; others may be first. */
const MAX_CANDIDATES = 10

/** Runs what a worker died with, one at a time, so that a second death is counted against the one that caused it. Returns a function that stops the lane. */
export function startAloneLane({
  deps,
  ledger,
  drainMs,
  ...options
}: Omit<SyncLane, 'deps'> & { deps: SyncLane['deps'] & DeliverLane['deps'] }): () => Promise<void> {
  const { clock, database } = deps
  const slot = createRunSlots(1)
  const syncs = createSyncRuns({ deps, ledger }, slot, true)

  const startProfile = async (): Promise<boolean> => {
    const nowMs = clock.now()
    for (const key of await profilesDueAlone(database, nowMs, nowMs, MAX_CANDIDATES))
      if (await leaseAlone(database, key, nowMs, leaseEnd(deps))) {
        syncs.runs.start(key)
        return true
      }
    return false
  }
  const startDestination = async (): Promise<boolean> => {
    const nowMs = clock.now()
    const destination = await findDueAlone(deps, nowMs, nowMs)
    if (destination === undefined) return false
    const { id: destinationId } = destination
    // Always wanted by others, so that it ends after one slice.
    const permit: Omit<RunPermit, 'step' | 'signal'> = { others: 0, isWanted: () => true, alone: true }
    slot.start(destinationId, (signal) =>
      runDelivery({ deps, ledger }, { kind: 'destination', destinationId }, (step) =>
        runDestinationAlone(deps, destinationId, { ...permit, signal, step }),
      ),
    )
    return true
  }
  // In turn, so that neither keeps the other waiting.
  let kinds = [startProfile, startDestination]
  const plan = async (): Promise<number> => {
    await slot.freed()
    if (slot.free() === 0) return 0
    kinds = kinds.toReversed()
    for (const start of kinds) if (await start()) return 1
    return 0
  }
  const isNothingDue = async (untilMs: number): Promise<boolean> => {
    const nowMs = clock.now()
    if ((await profilesDueAlone(database, nowMs, untilMs, 1)).length > 0) return false
    return (await findDueAlone(deps, nowMs, untilMs)) === undefined
  }
  const stop = startPlanningLoop(
    { ...deps, ...options },
    {
      name: 'alone',
      everyMs: PLAN_EVERY_MS,
      patience: PATIENCE,
      tables: AWAITED.alone,
      plan,
      open: slot.open,
      nothingDueUntil: isNothingDue,
    },
  )
  return async () => {
    await Promise.all([syncs.drain(drainMs), stop()])
  }
}
