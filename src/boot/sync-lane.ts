import { continueSubscriptions } from '#access/hook-subscriptions.ts'
import { continueDeletions } from '#flows/authorize/delete-app.ts'
import { continueDeletionRequests } from '#flows/authorize/deletion-requests.ts'
import type { AuthorizeDeps } from '#flows/authorize/deps.ts'
import { expireSignIns } from '#flows/authorize/expire-sign-ins.ts'
import { purgeExpired } from '#flows/operations/purge-expired.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { planSyncs } from '#flows/sync/plan/plan.ts'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { continueAppWakes } from '#flows/sync/schedule/wake-app.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import type { JobEngine } from '#store/queues.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import { type OnPlanned, startPlanningLoop } from './planning-loop.ts'

const PLAN_EVERY_MS = 500
/** Nobody waits for a subscription: the first sync reads what it would report. */
const HOOKS_EVERY_MS = 1000
/** Readers change only with a release; a process looks when it starts, and then for what another one left. */
const REREAD_EVERY_MS = 60_000

export interface SyncLane {
  engine: JobEngine
  deps: AuthorizeDeps & SyncDeps & { syncRuns: RunCounts; tracer?: Tracer | undefined }
  ledger: JobLedger
  onPlanned?: OnPlanned | undefined
}

/** Runs syncs, subscriptions to webhooks, deletions of apps, maintenance, and reads stored records again after an upgrade. Returns a function that stops the planning. */
export async function startSyncLane({ engine, deps, ledger, onPlanned }: SyncLane): Promise<() => Promise<void>> {
  await engine.work('maintenance', async () => {
    const removed = {
      ...(await purgeExpired(deps)),
      ...(await expireSignIns(deps)),
      woken: await continueAppWakes(deps),
    }
    deps.log.debug('maintenance done', removed)
  })
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ data, jobId }, signal) =>
    runSync({ deps, ledger }, data, { jobId, queue: 'sync' }, signal),
  )
  const loop = { everyMs: PLAN_EVERY_MS, log: deps.log, onPlanned }
  const stops = [
    startPlanningLoop({ name: 'syncs', ...loop, plan: () => planSyncs({ ...deps, engine }) }),
    startPlanningLoop({ name: 'hooks', ...loop, everyMs: HOOKS_EVERY_MS, plan: () => continueSubscriptions(deps) }),
    startPlanningLoop({ name: 'deletions', ...loop, plan: () => continueAllDeletions(deps) }),
    startPlanningLoop({ name: 'rereads', ...loop, everyMs: REREAD_EVERY_MS, plan: () => rereadProfiles(deps) }),
  ]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** Deletions of apps, and those that services request. */
async function continueAllDeletions(deps: AuthorizeDeps): Promise<number> {
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
