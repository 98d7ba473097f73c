import '#platform/tune-heap.ts'
import type { Config } from '#config/config.ts'
import type { PushCounters } from '#flows/push/delivery-counters.ts'
import { slotsReport, type WorkerReport } from '#http/metrics/worker-report.ts'
import { systemClock } from '#platform/clock.ts'
import { collectWhenIdle } from '#platform/idle-collection.ts'
import { type Attending, attendSupervisor, type Others } from '#platform/isolation/attend-supervisor.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { ALL_AWAITED } from './awaited.ts'
import { openDependencies } from './deps.ts'
import type { Tuning } from './tuning.ts'

/** The settings with which the supervisor boots a worker process. */
export interface WorkerBoot {
  lane: 'sync' | 'deliver' | 'tasks' | 'alone'
  config: Config
  version: string
  demo: boolean
  tuning: Omit<Tuning, 'clock' | 'onPlanned'>
}

attendSupervisor((settings, ledger, others) => boot(settings as WorkerBoot, ledger, others))

async function boot({ lane, config, version, demo, tuning }: WorkerBoot, ledger: JobLedger, others: Others) {
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  // The log redacts secrets; Node's own report of the error would not.
  process.on('uncaughtException', (error) => {
    log.error('an uncaught error ends the worker', { lane, error })
    process.exit(1)
  })
  collectWhenIdle()
  const opened = await openDependencies(config, log, { version, demo, tuning })
  const { writes } = opened
  others.listen(writes.heard)
  writes.tellOthers(ALL_AWAITED, others.tell)
  const { idleMs } = tuning
  const { drainMs } = config
  const stops: (() => Promise<unknown>)[] = []
  // Each lane loads only its own modules: unused drivers and parsers would cost a third of its memory.
  let tasks: Attending['tasks'] = {}
  let pushCounters: PushCounters | undefined
  if (lane === 'sync') {
    stops.push(() => opened.close())
    const { startSyncLane } = await import('./sync-lane.ts')
    stops.push(startSyncLane({ deps: opened, ledger, idleMs, drainMs }))
  } else {
    const deps = (await import('./delivery-deps.ts')).withDeliveryDeps(opened)
    stops.push(() => deps.close())
    pushCounters = deps.pushCounters
    if (lane !== 'deliver') tasks = (await import('./tasks.ts')).taskHandlers(deps, ledger)
    const options = { deps, ledger, idleMs, drainMs }
    if (lane === 'deliver') stops.push((await import('./deliver-lane.ts')).startDeliverLane(options))
    if (lane === 'alone') stops.push((await import('./alone-lane.ts')).startAloneLane(options))
  }
  return {
    tasks,
    report: (): WorkerReport => ({
      deliveries: pushCounters?.all() ?? [],
      syncs: opened.syncRuns,
      slots: slotsReport(opened.syncSlots),
      log: log.counts(),
    }),
    stop: async () => {
      for (const stop of stops.toReversed())
        await stop().catch((error: unknown) => log.error('stopping a part of the worker failed', { error }))
    },
  }
}
