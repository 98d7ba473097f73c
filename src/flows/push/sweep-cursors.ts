import { findOldSweeps, finishSweep, type PendingSweep, takeOverSweep } from '#store/push/cursor-sweeps.ts'
import {
  redriveCursors,
  rewindCursors,
  setCursorsScheduled,
  stopRunsOf,
  wakeCursors,
} from '#store/push/destination-cursors.ts'
import type { DeliverDeps } from './deps.ts'

type SweepDeps = Pick<DeliverDeps, 'database' | 'clock'>

/** A sweep that is not finished after this time was left by a process that is gone. */
export const ABANDONED_MS = 120_000

export interface Swept {
  /** Profiles that are delivered again, from somewhere. */
  rewound: number
  /** Profiles whose dead letters are tried again. */
  redriven: number
}

/** Gives all cursors of a destination what was stored with `addSweep`, in many small transactions. */
export async function sweepCursors(
  { database, clock }: SweepDeps,
  destinationId: string,
  sweep: PendingSweep,
): Promise<Swept> {
  const { scheduled } = sweep
  if (scheduled !== undefined) await setCursorsScheduled(database, destinationId, scheduled)
  if (sweep.stopRuns === true) await stopRunsOf(database, destinationId)
  let rewound = 0
  for (const start of sweep.rewinds ?? []) rewound = await rewindCursors(database, destinationId, start, clock.now())
  const redriven = sweep.redrive === true ? await redriveCursors(database, destinationId, clock.now()) : 0
  if (sweep.wake === true) await wakeCursors(database, destinationId, clock.now())
  await finishSweep(database, destinationId, sweep)
  return { rewound, redriven }
}

/** For the planner: finishes what a process left that was killed between a change and its sweep. */
export async function continueSweeps(deps: SweepDeps): Promise<void> {
  const nowMs = deps.clock.now()
  for (const { destinationId, sweep } of await findOldSweeps(deps.database, nowMs - ABANDONED_MS)) {
    const taken = await takeOverSweep(deps.database, destinationId, sweep, nowMs)
    if (taken !== undefined) await sweepCursors(deps, destinationId, taken)
  }
}
