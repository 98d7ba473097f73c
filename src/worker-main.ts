import '#base/tune-heap.ts'
import { systemClock } from '#base/clock.ts'
import type { Config } from '#base/config.ts'
import { type Attending, attendSupervisor } from '#base/isolation/attend-supervisor.ts'
import type { JobLedger } from '#base/isolation/job-ledger.ts'
import { createLog } from '#base/log.ts'
import type { Tallies } from '#flows/deliver/tally.ts'
import type { WorkerReport } from '#http/worker-report.ts'
import { openDependencies } from './dependencies.ts'
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
    const { startEngine } = await import('#store/engine.ts')
    const started = await startEngine({ url: config.engineUrl ?? opened.url, log, heartbeatS: tuning.heartbeatS })
    stops.push(() => started.stop(config.drainMs))
    return started
  }
  // A lane loads what it needs: drivers and parsers that it never uses would cost it a third of its memory.
  let tasks: Attending['tasks'] = {}
  let tallies: Tallies | undefined
  if (lane === 'sync') {
    stops.push(() => opened.close())
    const { startSyncs } = await import('./sync-work.ts')
    stops.push(await startSyncs({ engine: await engine(), need: opened, ledger }))
  } else {
    const need = (await import('./delivering.ts')).withDelivering(opened)
    stops.push(() => need.close())
    tallies = need.tallies
    if (lane !== 'deliver') tasks = (await import('./tasks.ts')).taskHandlers(need, ledger)
    if (lane === 'deliver')
      stops.push(await (await import('./deliver-work.ts')).startDeliveries({ engine: await engine(), need, ledger }))
    if (lane === 'alone')
      stops.push(await (await import('./alone-work.ts')).startAlone({ engine: await engine(), need, ledger }))
  }
  return {
    tasks,
    report: (): WorkerReport => ({ deliveries: tallies?.all() ?? [], log: log.counts() }),
    stop: async () => {
      for (const stop of stops.toReversed())
        await stop().catch((error: unknown) => log.error('stopping met an error', { error }))
    },
  }
}
