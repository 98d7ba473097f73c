import '#base/tune-heap.ts'
import { systemClock } from '#base/clock.ts'
import type { Config } from '#base/config.ts'
import { attendSupervisor } from '#base/isolation/attend-supervisor.ts'
import type { JobLedger } from '#base/isolation/job-ledger.ts'
import { createLog } from '#base/log.ts'
import { allTallies } from '#flows/deliver/tally.ts'
import { startEngine } from '#store/engine.ts'
import { openDependencies } from './dependencies.ts'
import { taskHandlers } from './tasks.ts'
import type { Tuning } from './tuning.ts'
import { startWorkers } from './worker.ts'

/** What a worker process is started with, by its supervisor. */
export interface WorkerBoot {
  lane: 'sync' | 'deliver' | 'tasks' | 'alone'
  config: Config
  version: string
  demo: boolean
  tuning: Omit<Tuning, 'clock'>
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
  const need = await openDependencies(config, log, { version, demo, tuning })
  const stops: (() => Promise<unknown>)[] = [() => need.close()]
  if (lane !== 'tasks') {
    const engine = await startEngine({ url: config.engineUrl ?? need.url, log, heartbeatS: tuning.heartbeatS })
    stops.push(() => engine.stop(config.drainMs))
    stops.push(await startWorkers({ engine, need, ledger }, [lane]))
  }
  return {
    tasks: taskHandlers(need, ledger),
    report: () => allTallies(),
    stop: async () => {
      for (const stop of stops.toReversed())
        await stop().catch((error: unknown) => log.error('stopping met an error', { error }))
    },
  }
}
