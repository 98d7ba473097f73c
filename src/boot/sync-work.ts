import { continueDeletions } from '#flows/authorize/delete-app.ts'
import type { AuthorizeDeps } from '#flows/authorize/deps.ts'
import { expireSignIns } from '#flows/authorize/expire-sign-ins.ts'
import { purgeExpired } from '#flows/operations/purge-expired.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { planSyncs } from '#flows/sync/plan/plan.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import type { Engine } from '#platform/queue/engine.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import { type OnLooked, startLoop } from './work-loop.ts'

const PLAN_EVERY_MS = 500

export interface SyncWork {
  engine: Engine
  deps: AuthorizeDeps & SyncDeps & { tracer?: Tracer | undefined }
  ledger: JobLedger
  onLooked?: OnLooked | undefined
}

/** Syncs, and what is done by the clock. Gives a function that ends the planning. */
export async function startSyncs({ engine, deps, ledger, onLooked }: SyncWork): Promise<() => Promise<void>> {
  await engine.work('maintenance', async () => {
    const removed = { ...(await purgeExpired(deps)), ...(await expireSignIns(deps)) }
    deps.log.debug('maintenance done', removed)
  })
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ data, jobId }, signal) =>
    runSync({ deps, ledger }, data, { jobId, queue: 'sync' }, signal),
  )
  const often = { everyMs: PLAN_EVERY_MS, log: deps.log, onLooked }
  const stops = [
    startLoop({ name: 'syncs', ...often, plan: () => planSyncs({ ...deps, engine }) }),
    startLoop({ name: 'deletions', ...often, plan: () => continueDeletions(deps) }),
  ]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

export function runSync(
  { deps, ledger }: Omit<SyncWork, 'engine'>,
  key: ProfileKey,
  { jobId, queue }: { jobId: string; queue: 'sync' | 'alone' },
  signal: AbortSignal,
): Promise<void> {
  const subject: JobSubject = { kind: 'profile', ...key, queue, jobId }
  return ledger.hold(subject, (step) =>
    traced(deps.tracer, 'sync', 'internal', { 'tributary.profile': key.profileId }, () =>
      runProfile(deps, key, { signal, alone: queue === 'alone', step }),
    ),
  )
}
