import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '#config/config.ts'
import { systemClock } from '#platform/clock.ts'
import { processesIn, signal } from '#platform/embedded-postgres/processes.ts'
import { reasonOf } from '#platform/errors.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { openStore, type Store } from '../../src/boot/open-store.ts'
import { childEnv } from '../harness/child-env.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { until } from '../harness/until.ts'
import { type Compared, compare } from './compare.ts'
import { populate } from './populate.ts'
import { processTree, signalTree } from './process-tree.ts'
import { type Measured, startChaosService } from './service.ts'
import { settle } from './settle.ts'

export interface ChaosOptions {
  seed: number
  people: number
  apps: number
  everyMs: number
  latencyMs: [least: number, most: number]
  /** Calls that one app may make per window, and the length of that window. */
  calls: number
  windowS: number
  /** How long a worker is frozen. It must exceed the heartbeat, or its leases are not taken over. */
  freezeMs: number
  /** Workers as child processes of a supervisor, as in production, or all in one process. */
  workers: 'processes' | 'inline'
  /** From the first call to the last change. */
  ms: number
  say?: (line: string) => void
}

export interface Report extends Measured, Compared {
  /** Profiles that the first killed worker was reading. */
  rerun: number
  late: number
  refused: number
  allowed: number
  kills: number
  databaseCrashes: number
  recoveredMs: number
}

const TIMES = {
  leaseMs: 12_000,
  sliceMs: 3000,
  coalesceMs: 1000,
  callMs: 5000,
  transientRetryMs: 50,
  afterDeathMs: 6000,
}
const FAULTS = 0.02

/**
 * Three workers and a service that changes and fails; workers and database are killed, frozen or crashed in between.
 */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-chaos-')))
  chmodSync(folder, 0o755)
  const env = {
    TRIBUTARY_DATA: join(folder, 'data'),
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    DATABASE_POOL: '12',
    CHAOS_CALLS: String(options.calls),
    CHAOS_WINDOW_S: String(options.windowS),
    CHAOS_WORKERS: options.workers,
    CHAOS_TUNING: JSON.stringify({ times: TIMES }),
  }
  const say = options.say ?? (() => {})
  const windowMs = options.windowS * 1000
  const service = await startChaosService({ ...options, faults: FAULTS, windowMs })
  const silent = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  const store = await openStore(loadConfig(env), silent)
  const workers = createWorkers(env)
  try {
    await populate(store, service, options)
    say(`${options.people} profiles connected`)
    await Promise.all([workers.start(), workers.start(), workers.start()])
    service.change(options.people / 10)
    const beganAt = Date.now()
    // The faults are spread over the run; no assertion depends on the moment of any of them.
    const at = async (share: number) => sleep(Math.max(0, beganAt + options.ms * share - Date.now()))

    await at(0.05)
    const frozen = workers.freeze(1)
    // A thawed worker may finish calls that it began before the freeze.
    for (const pid of frozen) service.sleeps(pid, Date.now() + options.freezeMs + 10_000)
    const thaw = sleep(options.freezeMs).then(() => workers.thaw(frozen))
    say(`froze a worker for ${options.freezeMs / 1000} s`)
    await at(0.12)
    // The worker may still be starting.
    const reading = () => service.waitingFor(workers.pids(0))
    const rerun = (await until('a worker reads', reading, (people) => people.length > 0)).length
    await workers.kill(0)
    say('killed a worker')
    await at(0.25)
    const crashedAt = Date.now()
    await crash(join(env.TRIBUTARY_DATA, 'postgres/data'))
    await waitForDatabase(store)
    const recoveredMs = Date.now() - crashedAt
    say(`crashed the database; it was back after ${recoveredMs} ms`)
    await at(0.35)
    if (workers.killWorker(0)) say('killed a worker under its supervisor')
    await at(0.45)
    await workers.kill(2)
    say('killed another worker')
    await thaw
    say('thawed the frozen one')
    await at(1)
    const late = await lateness(store)
    service.calm()
    say('the data no longer changes; everything is synced once more')
    await settle(store, service.calmSince, say)
    return {
      ...service.measured(),
      ...(await compare(store.database, service.people)),
      rerun,
      late,
      refused: workers.refused(),
      allowed: options.calls,
      kills: 2,
      databaseCrashes: 1,
      recoveredMs,
    }
  } finally {
    await workers.stopAll()
    await store.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** The worker processes. */
function createWorkers(env: Record<string, string>) {
  const workers: ChildProcess[] = []
  let refused = 0
  const start = async (index = workers.length) => {
    const child = fork(join(import.meta.dirname, 'worker.ts'), {
      env: { ...childEnv, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    workers[index] = child
    let stderr = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      refused += text.split('a sync lost its lease and wrote nothing').length - 1
      stderr = (stderr + text).slice(-4000)
    })
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown]
    if (message !== 'ready') throw new Error(`a worker ended before it was ready: ${stderr}`)
  }
  const at = (index: number) => workers[index]!
  return {
    start: () => start(),
    pids: (index: number): number[] => processTree(at(index).pid!),
    /** Kills it without a clean shutdown and starts a replacement. */
    kill: async (index: number) => {
      const exited = once(at(index), 'exit')
      signalTree(at(index).pid!, 'SIGKILL')
      await exited
      await start(index)
    },
    /** Kills one worker process of a supervisor, which starts another. False when there is none. */
    killWorker: (index: number): boolean => {
      const [, worker] = processTree(at(index).pid!)
      return worker !== undefined && signal(worker, 'SIGKILL')
    },
    freeze: (index: number): number[] => signalTree(at(index).pid!, 'SIGSTOP'),
    thaw: (pids: number[]) => {
      for (const pid of pids) signal(pid, 'SIGCONT')
    },
    /** Runs that lost their lease and stored nothing. */
    refused: () => refused,
    stopAll: async () => {
      await Promise.all(
        workers.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const exited = once(child, 'exit')
          signalTree(child.pid!, 'SIGCONT')
          signalTree(child.pid!, 'SIGKILL')
          await exited
        }),
      )
    },
  }
}

async function crash(cluster: string): Promise<void> {
  for (const pid of await processesIn(cluster)) signal(pid, 'SIGKILL')
}

async function waitForDatabase({ database }: Store): Promise<void> {
  // Thousands of profiles leave much WAL to replay, and a loaded machine takes long.
  const maxMs = 180_000
  const probe = () => database.rows({ name: '', text: 'select 1' }).then(() => 'ready', reasonOf)
  await until('the database is back', probe, (state) => state === 'ready', maxMs)
}

const query = <Row extends object>({ database }: Store, text: string, values: unknown[] = []) =>
  database.rows<Row>({ name: '', text }, values)

async function lateness(store: Store): Promise<number> {
  const text = 'select count(*) as n from profile_sync where next_run_at < $1'
  return (await query<{ n: number }>(store, text, [Date.now() - 10_000]))[0]!.n
}
