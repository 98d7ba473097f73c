import '#platform/tune-heap.ts'
import type { PushCounters } from '#flows/push/deliver/counters.ts'
import type { WorkerReport } from '#http/worker-report.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { type Attending, attendSupervisor } from '#platform/isolation/attend-supervisor.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { QUEUES } from '#store/queues.ts'
import { openDependencies } from './deps.ts'
import type { Tuning } from './tuning.ts'

/** What a worker process is started with, by its supervisor. */
export interface WorkerBoot {
  lane: 'sync' | 'deliver' | 'tasks' | 'alone'
  config: Config
  version: string
  demo: boolean
  tuning: Omit<Tuning, 'clock' | 'onLooked'>
}

attendSupervisor((given, ledger) => boot(given as WorkerBoot, ledger))

async function boot({ lane, config, version, demo, tuning }: WorkerBoot, ledger: JobLedger) {
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  })
  // The log hides secrets; Node's own last words would not.
  process.on('uncaughtException', (error) => {
    log.error('a worker met an error that nobody handled, and ends', { lane, error })
    process.exit(1)
  })
  const opened = await openDependencies(config, log, { version, demo, tuning })
  const stops: (() => Promise<unknown>)[] = []
  const engine = async () => {
    const { startEngine } = await import('#platform/queue/engine.ts')
    const url = config.engineUrl ?? opened.url
    const started = await startEngine({ queues: QUEUES, url, log, heartbeatS: tuning.heartbeatS })
    stops.push(() => started.stop(config.drainMs))
    return started
  }
  // A lane loads what it needs: drivers and parsers that it never uses would cost it a third of its memory.
  let tasks: Attending['tasks'] = {}
  let pushCounters: PushCounters | undefined
  if (lane === 'sync') {
    stops.push(() => opened.close())
    const { startSyncs } = await import('./sync-work.ts')
    stops.push(await startSyncs({ engine: await engine(), deps: opened, ledger }))
  } else {
    const deps = (await import('./delivery-deps.ts')).withDelivering(opened)
    stops.push(() => deps.close())
    pushCounters = deps.pushCounters
    if (lane !== 'deliver') tasks = (await import('./tasks.ts')).taskHandlers(deps, ledger)
    if (lane === 'deliver')
      stops.push(await (await import('./deliver-work.ts')).startDeliveries({ engine: await engine(), deps, ledger }))
    if (lane === 'alone')
      stops.push(await (await import('./alone-work.ts')).startAlone({ engine: await engine(), deps, ledger }))
  }
  return {
    tasks,
    report: (): WorkerReport => ({ deliveries: pushCounters?.all() ?? [], log: log.counts() }),
    stop: async () => {
      for (const stop of stops.toReversed())
        await stop().catch((error: unknown) => log.error('stopping met an error', { error }))
    },
  }
}
