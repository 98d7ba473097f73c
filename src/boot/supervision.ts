import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { countDeliveryDeath } from '#flows/push/deliver/count-worker-death.ts'
import { countSyncDeath } from '#flows/sync/schedule/count-worker-death.ts'
import type { JobSubject, WorkerDeath } from '#model/sync/deaths.ts'
import { createLane, type Lane, type LaneView } from '#platform/isolation/lane.ts'
import type { Death, HeldJob, WorkerLimits } from '#platform/isolation/protocol.ts'
import { abortableSleep } from '#platform/waiting/abortable-sleep.ts'
import { createWakeableSleep, type WakeableSleep } from '#platform/waiting/wakeable-sleep.ts'
import { workersWanted } from '#store/push/workers-wanted.ts'
import { profilesDueAlone } from '#store/sync/due-alone.ts'
import { ALL_AWAITED, AWAITED } from './awaited.ts'
import type { Dependencies, OpenOptions } from './deps.ts'
import { MAX_IDLE_MS } from './planning-loop.ts'
import type { WorkerBoot } from './worker-main.ts'

const ENTRY = join(import.meta.dirname, 'worker-main.ts')
const MB = 1024 * 1024
/** Without a wake-up it checks this many times less often than a loop looks: it waits for what other processes wrote only. */
const PATIENCE = 4
/** The shortest time between two checks whether workers on demand are needed. */
const CHECK_EVERY_MS = 1000
/** How long recording a death is retried while the database cannot be reached. */
const RECORD_TIMEOUT_MS = 120_000
const RECORD_RETRY_MS = 500
/** Limit: time without progress of a job; then its worker process is killed. */
const MAX_JOB_MS = 15 * 60_000
/** Limit: time until a worker process is ready; then it is killed. */
const MAX_BOOT_MS = 60_000
/** Enough connections for one job at a time. */
const SMALL_POOL = 3

export interface Supervision {
  lanes: Record<'sync' | 'deliver' | 'tasks' | 'alone', Lane>
  /** Starts the workers. Called after the server listens, because workers get its address. */
  begin: () => void
  views: () => LaneView[]
  stop: () => Promise<void>
}

/** Starts, watches and restarts the worker processes. */
export function createSupervision(deps: Dependencies, { version, demo, tuning }: OpenOptions): Supervision {
  const { config, log, writes } = deps
  const limits: WorkerLimits = {
    memoryBytes: config.workerMemoryMb * MB,
    stallMs: config.workerStallMs,
    jobMs: MAX_JOB_MS,
    bootMs: MAX_BOOT_MS,
    ...tuning?.workerLimits,
  }
  const { clock: _clock, onPlanned: _onPlanned, ...plainTuning } = tuning ?? {}
  const lane = (name: WorkerBoot['lane'], isPermanent: boolean, pool: number) => {
    const boot = (): WorkerBoot => ({
      lane: name,
      // With its address, a worker never uses the lock of an embedded database, which a frozen one would hold.
      config: { ...config, databaseUrl: deps.url, databasePool: pool },
      version: version ?? '',
      demo: demo === true,
      tuning: plainTuning,
    })
    return createLane({
      name,
      entry: ENTRY,
      boot,
      limits,
      isPermanent,
      onDeath: async (_name, death) => {
        await recordDeath(deps, name === 'alone', name, death)
        // A worker on demand may be needed again.
        checks.wake()
      },
      onWritten: (names) => {
        writes.heard(names)
        for (const [other, each] of Object.entries(lanes)) if (other !== name) each.tell(names)
      },
    })
  }
  const lanes = {
    sync: lane('sync', true, config.databasePool),
    deliver: lane('deliver', false, config.databasePool),
    tasks: lane('tasks', false, SMALL_POOL),
    alone: lane('alone', false, SMALL_POOL),
  }
  writes.tellOthers(ALL_AWAITED, (names) => {
    for (const each of Object.values(lanes)) each.tell(names)
  })
  const stopping = new AbortController()
  let checking = Promise.resolve()
  const checks = createWakeableSleep()
  const endWaking = writes.on(AWAITED.demand, checks.wake)
  return {
    lanes,
    begin: () => {
      lanes.sync.ensure()
      checking = startOnDemand(deps, lanes, { signal: stopping.signal, checks, idleMs: tuning?.idleMs })
    },
    views: () => Object.values(lanes).map((each) => each.view()),
    stop: async () => {
      stopping.abort()
      endWaking()
      checks.wake()
      await checking
      // A worker that does not drain in time is killed, and others take over its jobs.
      await Promise.all(Object.values(lanes).map((each) => each.stop(config.drainMs + limits.stallMs)))
      log.debug('workers stopped', {})
    },
  }
}

/** Starts the workers on demand when there is work for them. */
async function startOnDemand(
  { clock, database, log }: Dependencies,
  { deliver, alone }: Supervision['lanes'],
  { signal, checks, idleMs = MAX_IDLE_MS }: { signal: AbortSignal; checks: WakeableSleep; idleMs?: number | undefined },
): Promise<void> {
  while (!signal.aborted) {
    checks.forget()
    try {
      const nowMs = clock.now()
      const wanted = await workersWanted(database, nowMs)
      if (wanted.deliver) deliver.ensure()
      if (wanted.alone || (await profilesDueAlone(database, nowMs, nowMs, 1)).length > 0) alone.ensure()
    } catch (error) {
      log.debug('checking for work failed and is retried', { error })
    }
    await abortableSleep(CHECK_EVERY_MS, signal)
    await checks.sleep(Math.max(0, idleMs * PATIENCE - CHECK_EVERY_MS))
  }
}

/** Counts a death against every job that the worker ran, so that the next worker does not run them together. */
async function recordDeath(
  deps: Dependencies,
  alone: boolean,
  lane: string,
  { reason, detail, held }: Death,
): Promise<void> {
  deps.log.error('a worker process died and is restarted', { lane, reason, detail, jobs: held.length })
  const untilMs = performance.now() + RECORD_TIMEOUT_MS
  for (const { subject, step } of oncePerSubject(held)) {
    const death: WorkerDeath = { reason, detail, alone }
    const record = () => recordDeathOf(deps, subject as JobSubject, step, death)
    for (;;) {
      const failure = await record().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      if (failure === undefined) break
      if (performance.now() >= untilMs) {
        deps.log.error('the death of a worker could not be recorded', { subject, error: failure.error })
        break
      }
      await sleep(RECORD_RETRY_MS)
    }
  }
}

/** Several runs of one destination that died with one worker count as one death. */
function oncePerSubject(held: HeldJob[]): HeldJob[] {
  const nameOf = ({ subject }: HeldJob) => {
    const job = subject as JobSubject
    return job.kind === 'profile' ? job.profileId : job.destinationId
  }
  return [...new Map(held.map((job) => [nameOf(job), job])).values()]
}

async function recordDeathOf(deps: Dependencies, subject: JobSubject, step: string, death: WorkerDeath): Promise<void> {
  if (subject.kind === 'profile') await countSyncDeath(deps, subject, step === '' ? undefined : step, death)
  else await countDeliveryDeath(deps, subject.destinationId, death)
}
