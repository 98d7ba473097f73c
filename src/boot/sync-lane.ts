import { continueSubscriptions, isNoSubscriptionDue } from '#access/hook-subscriptions.ts'
import { continueDeletions, isNoDeletionOpen } from '#flows/accounts/delete-app.ts'
import { continueDeletionRequests, isNoDeletionRequestDue } from '#flows/accounts/deletion-requests.ts'
import { maintain } from '#flows/operations/maintenance/maintain.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { isNoSyncDue, planSyncs } from '#flows/sync/plan/plan.ts'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import type { JobEngine } from '#store/queues.ts'
import { AWAITED } from './awaited.ts'
import { type LoopDeps, startPlanningLoop } from './planning-loop.ts'

const PLAN_EVERY_MS = 500
/** Nobody waits for a subscription: the first sync reads what it would report. */
const HOOKS_EVERY_MS = 1000
/** Readers change only with a release; a process looks when it starts, and then for what another one left. */
const REREAD_EVERY_MS = 60_000

export interface SyncLane extends Pick<LoopDeps, 'idleMs' | 'onPlanned'> {
  engine: JobEngine
  deps: IdentityDeps & SyncDeps & Pick<LoopDeps, 'writes'> & { syncRuns: RunCounts; tracer?: Tracer | undefined }
  ledger: JobLedger
}

/** Runs syncs, subscriptions to webhooks, deletions of apps, maintenance, and reads stored records again after an upgrade. Returns a function that stops the planning. */
export async function startSyncLane({ engine, deps, ledger, ...options }: SyncLane): Promise<() => Promise<void>> {
  await engine.work('maintenance', () => maintain(deps))
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ data, jobId }, signal) =>
    runSync({ deps, ledger }, data, { jobId, queue: 'sync' }, signal),
  )
  const loopDeps = { ...deps, ...options }
  const stops = [
    startPlanningLoop(loopDeps, {
      name: 'syncs',
      everyMs: PLAN_EVERY_MS,
      tables: AWAITED.syncs,
      plan: () => planSyncs({ ...deps, engine }),
      nothingDueUntil: (untilMs) => isNoSyncDue(deps, untilMs),
    }),
    startPlanningLoop(loopDeps, {
      name: 'hooks',
      everyMs: HOOKS_EVERY_MS,
      tables: AWAITED.hooks,
      plan: () => continueSubscriptions(deps),
      nothingDueUntil: (untilMs) => isNoSubscriptionDue(deps, untilMs),
    }),
    startPlanningLoop(loopDeps, {
      name: 'deletions',
      everyMs: PLAN_EVERY_MS,
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
  ]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** Deletions of apps, and those that services request. */
async function continueAllDeletions(deps: IdentityDeps): Promise<number> {
  return (await continueDeletions(deps)) + (await continueDeletionRequests(deps))
}

export async function runSync(
  { deps, ledger }: Omit<SyncLane, 'engine'>,
  key: ProfileKey,
  { jobId, queue }: { jobId: string; queue: 'sync' | 'alone' },
  signal: AbortSignal,
): Promise<void> {
  const subject: JobSubject = { kind: 'profile', ...key, queue, jobId }
  try {
    const end = await ledger.track(subject, (step) =>
      traced(deps.tracer, 'sync', 'internal', { 'tributary.profile': key.profileId }, () =>
        runProfile(deps, key, { signal, alone: queue === 'alone', step }),
      ),
    )
    deps.syncRuns[end] += 1
  } catch (error) {
    deps.syncRuns.failed += 1
    throw error
  }
}
