import type { JobLedger } from '#base/isolation/job-ledger.ts'
import { type Tracer, traced } from '#base/trace.ts'
import { continueDeletions } from '#flows/authorize/delete-app.ts'
import { lapseSignIns } from '#flows/authorize/lapse.ts'
import type { AuthorizeNeed } from '#flows/authorize/need.ts'
import { tidy } from '#flows/operate/maintenance.ts'
import type { SyncNeed } from '#flows/sync/need.ts'
import { planSyncs } from '#flows/sync/plan.ts'
import { runProfile } from '#flows/sync/run-profile.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { Engine } from '#store/engine.ts'
import type { ProfileKey } from '#store/sync-schedule.ts'
import { type OnLooked, startLoop } from './work-loop.ts'

const PLAN_EVERY_MS = 500

export interface SyncWork {
  engine: Engine
  need: AuthorizeNeed & SyncNeed & { tracer?: Tracer | undefined }
  ledger: JobLedger
  onLooked?: OnLooked | undefined
}

/** Syncs, and what is done by the clock. Gives a function that ends the planning. */
export async function startSyncs({ engine, need, ledger, onLooked }: SyncWork): Promise<() => Promise<void>> {
  await engine.work('maintenance', async () => {
    const removed = { ...(await tidy(need)), ...(await lapseSignIns(need)) }
    need.log.debug('maintenance done', removed)
  })
  await engine.every('maintenance', '*/10 * * * *')
  await engine.work('sync', ({ data, jobId }, signal) =>
    runSync({ need, ledger }, data, { jobId, queue: 'sync' }, signal),
  )
  const often = { everyMs: PLAN_EVERY_MS, log: need.log, onLooked }
  const stops = [
    startLoop({ name: 'syncs', ...often, plan: () => planSyncs({ ...need, engine }) }),
    startLoop({ name: 'deletions', ...often, plan: () => continueDeletions(need) }),
  ]
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}

export function runSync(
  { need, ledger }: Omit<SyncWork, 'engine'>,
  key: ProfileKey,
  { jobId, queue }: { jobId: string; queue: 'sync' | 'alone' },
  signal: AbortSignal,
): Promise<void> {
  const subject: JobSubject = { kind: 'profile', ...key, queue, jobId }
  return ledger.hold(subject, (step) =>
    traced(need.tracer, 'sync', 'internal', { 'tributary.profile': key.profileId }, () =>
      runProfile(need, key, { signal, alone: queue === 'alone', step }),
    ),
  )
}
