import { continueSubscriptions, isNoSubscriptionDue } from '#access/hook-subscriptions.ts'
import { continueDeletions, isNoDeletionOpen } from '#flows/accounts/delete-app.ts'
import { continueDeletionRequests, isNoDeletionRequestDue } from '#flows/accounts/deletion-requests.ts'
import { isNoSyncDue, planSyncs } from '#flows/sync/plan/plan.ts'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { createRunSlots, type RunSlots } from '#platform/waiting/run-slots.ts'
import { AWAITED } from './awaited.ts'
import { startMaintenance } from './maintenance.ts'
import { type LoopDeps, startPlanningLoop } from './planning-loop.ts'
import { createSyncRuns, type RunsDeps } from './sync-runs.ts'

const PLAN_EVERY_MS = 500
/** Slots that are freed within this time are filled by one look. */
const REFILL_EVERY_MS = 5
/** The interval while due profiles are found and there is room: with one of 100 ms, runs that do nothing were up to a third fewer. */
const BUSY_EVERY_MS = 25
/** Nobody waits for a subscription: the first sync reads what it would report. */
const HOOKS_EVERY_MS = 1000
/** Readers change only with a release; a process looks when it starts, and then for what another one left. */
const REREAD_EVERY_MS = 60_000
const MAINTAIN_EVERY_MS = 60_000
/** What another process subscribes or deletes, it goes on with itself. */
const PATIENCE = 4

export interface LaneOptions extends Pick<LoopDeps, 'idleMs' | 'onPlanned'> {
  /** How long a stop waits for runs before it aborts them. */
  drainMs: number
}

export interface SyncLane extends LaneOptions, RunsDeps {
  deps: IdentityDeps & RunsDeps['deps'] & Pick<LoopDeps, 'writes'> & { syncSlots: RunSlots }
}

/** Runs syncs, subscriptions to webhooks, deletions of apps, maintenance, and reads stored records again after an upgrade. Returns a function that stops it. */
export function startSyncLane({ deps, ledger, drainMs, ...options }: SyncLane): () => Promise<void> {
  const loopDeps = { ...deps, ...options }
  const slots = deps.syncSlots
  const syncs = createSyncRuns({ deps, ledger }, slots, false)
  const maintenance = createRunSlots(1)
  const stops = [
    startPlanningLoop(loopDeps, {
      name: 'syncs',
      everyMs: PLAN_EVERY_MS,
      busyEveryMs: () => (slots.free() === 0 ? REFILL_EVERY_MS : BUSY_EVERY_MS),
      tables: AWAITED.syncs,
      plan: async () => {
        await slots.freed()
        return planSyncs(deps, syncs.runs)
      },
      open: slots.open,
      nothingDueUntil: (untilMs) => isNoSyncDue(deps, untilMs),
    }),
    startPlanningLoop(loopDeps, {
      name: 'hooks',
      everyMs: HOOKS_EVERY_MS,
      patience: PATIENCE,
      tables: AWAITED.hooks,
      plan: () => continueSubscriptions(deps),
      nothingDueUntil: (untilMs) => isNoSubscriptionDue(deps, untilMs),
    }),
    startPlanningLoop(loopDeps, {
      name: 'deletions',
      everyMs: PLAN_EVERY_MS,
      patience: PATIENCE,
      tables: AWAITED.deletions,
      plan: () => continueAllDeletions(deps),
      nothingDueUntil: async (untilMs) =>
        (await isNoDeletionOpen(deps, untilMs)) && (await isNoDeletionRequestDue(deps, untilMs)),
    }),
    startPlanningLoop(loopDeps, {
      name: 'rereads',
      everyMs: REREAD_EVERY_MS,
      tables: [],
      plan: () => rereadProfiles(deps),
    }),
    startPlanningLoop(loopDeps, {
      name: 'maintenance',
      everyMs: MAINTAIN_EVERY_MS,
      busyEveryMs: () => MAINTAIN_EVERY_MS,
      tables: [],
      plan: () => startMaintenance(deps, maintenance),
      open: maintenance.open,
    }),
  ]
  return async () => {
    const drained = [syncs.drain(drainMs), maintenance.drain(drainMs)]
    await Promise.all([...drained, ...stops.map((stop) => stop())])
  }
}

/** Deletions of apps, and those that services request. */
async function continueAllDeletions(deps: IdentityDeps): Promise<number> {
  return (await continueDeletions(deps)) + (await continueDeletionRequests(deps))
}
