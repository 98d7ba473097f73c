import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settleDeliveryDeath } from '#flows/push/deliver/settle-death.ts'
import { settleSyncDeath } from '#flows/sync/schedule/settle-death.ts'
import type { JobSubject, WorkerDeath } from '#model/deaths.ts'
import { createLane, type Lane, type LaneView } from '#platform/isolation/lane.ts'
import type { Death, HeldJob, WorkerLimits } from '#platform/isolation/protocol.ts'
import { pause } from '#platform/pause.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { forgetJobs, jobsWaiting } from '#platform/queue/queues.ts'
import { countDestinations } from '#store/push/destinations.ts'
import type { Dependencies, Opening } from './deps.ts'
import type { WorkerBoot } from './worker-main.ts'

const ENTRY = join(import.meta.dirname, 'worker-main.ts')
const MB = 1024 * 1024
/** Lanes that run only while there is something for them are looked after so often. */
const LOOK_EVERY_MS = 1000
/** A database that is away when a death is to be counted is asked again so long. */
const SETTLE_WITHIN_MS = 120_000
const SETTLE_AGAIN_MS = 500
const JOB_MS = 15 * 60_000
const BOOT_MS = 60_000
/** So many connections are enough for one job at a time. */
const SMALL_POOL = 3

export interface Supervision {
  lanes: Record<'sync' | 'deliver' | 'tasks' | 'alone', Lane>
  /** Once it is known by which address this service is reached: workers are told. */
  begin: () => void
  views: () => LaneView[]
  stop: () => Promise<void>
}

/** The worker processes and who looks after them. */
export function createSupervision(
  deps: Dependencies,
  engineDatabase: Queries,
  { version, demo, tuning }: Opening,
): Supervision {
  const { config, log } = deps
  const limits: WorkerLimits = {
    memoryBytes: config.workerMemoryMb * MB,
    stallMs: config.workerStallMs,
    jobMs: JOB_MS,
    bootMs: BOOT_MS,
    ...tuning?.workerLimits,
  }
  const { clock: _clock, onLooked: _onLooked, ...plainTuning } = tuning ?? {}
  const lane = (name: WorkerBoot['lane'], keep: boolean, pool: number) => {
    const boot = (): WorkerBoot => ({
      lane: name,
      config: { ...config, databasePool: pool },
      version: version ?? '',
      demo: demo === true,
      tuning: plainTuning,
    })
    return createLane({
      name,
      entry: ENTRY,
      boot,
      limits,
      keep,
      onDeath: (_name, death) => settle(deps, engineDatabase, name === 'alone', name, death),
    })
  }
  const lanes = {
    sync: lane('sync', true, config.databasePool),
    deliver: lane('deliver', false, config.databasePool),
    tasks: lane('tasks', false, SMALL_POOL),
    alone: lane('alone', false, SMALL_POOL),
  }
  const stopping = new AbortController()
  let looking = Promise.resolve()
  return {
    lanes,
    begin: () => {
      lanes.sync.ensure()
      looking = look(deps, engineDatabase, lanes, stopping.signal)
    },
    views: () => Object.values(lanes).map((each) => each.view()),
    stop: async () => {
      stopping.abort()
      await looking
      // A worker has its own time to drain; whoever needs longer is killed, and what it held is taken up by others.
      await Promise.all(Object.values(lanes).map((each) => each.stop(config.drainMs + limits.stallMs)))
      log.debug('workers stopped', {})
    },
  }
}

/** Starts workers that are needed from time to time. */
async function look(
  { database, log }: Dependencies,
  engineDatabase: Queries,
  { deliver, alone }: Supervision['lanes'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if ((await countDestinations(database)).length > 0) deliver.ensure()
      if ((await jobsWaiting(engineDatabase, 'alone', 1)) > 0) alone.ensure()
    } catch (error) {
      log.debug('looking for work failed and goes on', { error })
    }
    await pause(LOOK_EVERY_MS, signal)
  }
}

/** Counts a death against every job that the worker held, so that the next worker does not take them in the same company. */
async function settle(
  deps: Dependencies,
  engineDatabase: Queries,
  alone: boolean,
  lane: string,
  { reason, detail, held }: Death,
): Promise<void> {
  deps.log.error('a worker process ended and is started again', { lane, reason, detail, jobs: held.length })
  const untilMs = performance.now() + SETTLE_WITHIN_MS
  for (const { subject, step } of onceEach(held)) {
    const death: WorkerDeath = { reason, detail, alone }
    const count = () => settleOne(deps, engineDatabase, subject as JobSubject, step, death)
    for (;;) {
      const failure = await count().then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      if (failure === undefined) break
      if (performance.now() >= untilMs) {
        deps.log.error('the death of a worker could not be counted', { subject, error: failure.error })
        break
      }
      await sleep(SETTLE_AGAIN_MS)
    }
  }
}

/** Several runs into one destination died with one worker: that is one death. */
function onceEach(held: HeldJob[]): HeldJob[] {
  const nameOf = ({ subject }: HeldJob) => {
    const job = subject as JobSubject
    return job.kind === 'profile' ? job.profileId : job.destinationId
  }
  return [...new Map(held.map((job) => [nameOf(job), job])).values()]
}

async function settleOne(
  deps: Dependencies,
  engineDatabase: Queries,
  subject: JobSubject,
  step: string,
  death: WorkerDeath,
): Promise<void> {
  if (subject.kind === 'profile') await settleSyncDeath(deps, subject, step === '' ? undefined : step, death)
  else await settleDeliveryDeath(deps, subject.destinationId, death)
  if (subject.queue !== undefined && subject.jobId !== undefined)
    await forgetJobs(engineDatabase, subject.queue, [subject.jobId])
}
