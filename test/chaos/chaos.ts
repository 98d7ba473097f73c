import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { loadConfig } from '#platform/config.ts'
import { processesIn, signal } from '#platform/embedded-postgres/processes.ts'
import { reasonOf } from '#platform/errors.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { openStore, type Store } from '../../src/boot/open-store.ts'
import { childEnv } from '../harness/child-env.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { type Compared, compare } from './compare.ts'
import { populate } from './populate.ts'
import { processTree, signalTree } from './process-tree.ts'
import { type Measured, startChaosService } from './service.ts'

export interface ChaosOptions {
  seed: number
  people: number
  apps: number
  everyMs: number
  latencyMs: [least: number, most: number]
  /** Calls that one app may make in a window, and how long that is. */
  calls: number
  windowS: number
  /** How long a worker is frozen; longer than its heartbeat, or nobody takes its work. */
  freezeMs: number
  /** Workers in processes of their own under a supervisor, as usual, or in one. */
  workers: 'processes' | 'inline'
  /** From the first call to the last change. */
  ms: number
  say?: (line: string) => void
}

export interface Report extends Measured, Compared {
  settled: number
  rerun: number
  late: number
  refused: number
  allowed: number
  kills: number
  databaseCrashes: number
  recoveredMs: number
}

const HEARTBEAT_S = 10
const TIMES = {
  leaseMs: 12_000,
  sliceMs: 3000,
  coalesceMs: 1000,
  callMs: 5000,
  transientRetryMs: 50,
  afterDeathMs: 6000,
}
const FAULTS = 0.02

/** Three workers, a service that changes and fails, and everything killed, frozen or crashed in between. */
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
    CHAOS_TUNING: JSON.stringify({ times: TIMES, heartbeatS: HEARTBEAT_S }),
  }
  const say = options.say ?? (() => {})
  const windowMs = options.windowS * 1000
  const service = await startChaosService({ ...options, faults: FAULTS, windowMs })
  const silent = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  const store = await openStore(loadConfig(env), silent)
  const crew = createCrew(env)
  try {
    await populate(store, service, options)
    say(`${options.people} profiles connected`)
    await Promise.all([crew.hire(), crew.hire(), crew.hire()])
    service.change(options.people / 10)
    const beganAt = Date.now()
    const at = async (share: number) => sleep(Math.max(0, beganAt + options.ms * share - Date.now()))

    await at(0.05)
    const frozen = crew.freeze(1)
    // What it began before it froze it may still finish a moment after.
    for (const pid of frozen) service.sleeps(pid, Date.now() + options.freezeMs + 10_000)
    const thaw = sleep(options.freezeMs).then(() => crew.thaw(frozen))
    say(`froze a worker for ${options.freezeMs / 1000} s`)
    await at(0.12)
    await crew.kill(0)
    say('killed a worker')
    await at(0.25)
    const crashedAt = Date.now()
    await crash(join(env.TRIBUTARY_DATA, 'postgres/data'))
    await responses(store)
    const recoveredMs = Date.now() - crashedAt
    say(`crashed the database; it was back after ${recoveredMs} ms`)
    await at(0.35)
    if (crew.killWorker(0)) say('killed a worker under its supervisor')
    await at(0.45)
    await crew.kill(2)
    say('killed another worker')
    await thaw
    say('thawed the frozen one')
    await at(1)
    const late = await lateness(store)
    service.calm()
    say('the data stands still; everybody is asked once more')
    await settle(store, service.calmSince, say)
    return {
      ...service.measured(),
      ...(await compare(store.database, service.people)),
      ...(await jobs(store)),
      late,
      refused: crew.refused(),
      allowed: options.calls,
      kills: 2,
      databaseCrashes: 1,
      recoveredMs,
    }
  } finally {
    await crew.dismiss()
    await store.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** The worker processes. */
function createCrew(env: Record<string, string>) {
  const crew: ChildProcess[] = []
  let refused = 0
  const hire = async (place = crew.length) => {
    const child = fork(join(import.meta.dirname, 'worker.ts'), {
      env: { ...childEnv, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    crew[place] = child
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      refused += text.split('a sync lost its lease and wrote nothing').length - 1
      said = (said + text).slice(-4000)
    })
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown]
    if (message !== 'ready') throw new Error(`a worker ended before it was ready: ${said}`)
  }
  const at = (place: number) => crew[place]!
  return {
    hire: () => hire(),
    /** Ends it without a word, and takes on another. */
    kill: async (place: number) => {
      const gone = once(at(place), 'exit')
      signalTree(at(place).pid!, 'SIGKILL')
      await gone
      await hire(place)
    },
    /** Kills one worker process under its supervisor, which starts another. False where there is none. */
    killWorker: (place: number): boolean => {
      const [, worker] = processTree(at(place).pid!)
      return worker !== undefined && signal(worker, 'SIGKILL')
    },
    freeze: (place: number): number[] => signalTree(at(place).pid!, 'SIGSTOP'),
    thaw: (pids: number[]) => {
      for (const pid of pids) signal(pid, 'SIGCONT')
    },
    /** Settles of workers that were overtaken, and wrote nothing. */
    refused: () => refused,
    dismiss: async () => {
      await Promise.all(
        crew.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          const gone = once(child, 'exit')
          signalTree(child.pid!, 'SIGCONT')
          signalTree(child.pid!, 'SIGKILL')
          await gone
        }),
      )
    },
  }
}

async function crash(cluster: string): Promise<void> {
  for (const pid of await processesIn(cluster)) signal(pid, 'SIGKILL')
}

async function responses({ database }: Store): Promise<void> {
  let reason = ''
  // Thousands of profiles leave much to replay, and a loaded machine takes its time.
  for (const until = Date.now() + 180_000; Date.now() < until; await sleep(50)) {
    try {
      await database.rows({ name: '', text: 'select 1' })
      return
    } catch (error) {
      reason = reasonOf(error)
    }
  }
  throw new Error(`the database did not come back: ${reason}`)
}

const query = <Row extends object>({ database }: Store, text: string, values: unknown[] = []) =>
  database.rows<Row>({ name: '', text }, values)

async function lateness(store: Store): Promise<number> {
  const text = 'select count(*) as n from profile_sync where next_run_at < $1'
  return (await query<{ n: number }>(store, text, [Date.now() - 10_000]))[0]!.n
}

interface Standing {
  native_id: string
  endpoint: string
  last_run_at: number
  at_rest: boolean
}

/** Everything due once more, and then until a walk that began when nothing changed any more has been stored of everything. */
async function settle(
  store: Store,
  calmSince: (person: string, endpoint: string) => number | undefined,
  say: (line: string) => void,
): Promise<void> {
  await query(store, 'update endpoint_sync set next_run_at = 0, fails = 0')
  await query(store, 'update profile_sync set next_run_at = 0 where lease_token is null')
  const isSettled = ({ native_id: person, endpoint, last_run_at: ranAt, at_rest: isAtRest }: Standing) => {
    const begunAt = calmSince(person, endpoint)
    return isAtRest && begunAt !== undefined && ranAt >= begunAt
  }
  // Once is enough: a slow machine always has somebody on their next walk, and that one finds the same.
  const settled = new Set<string>()
  for (let waits = 0; waits < 1200; waits += 1) {
    const standing = await query<Standing>(
      store,
      `select p.native_id, e.endpoint, e.last_run_at, e.walk is null and e.fails = 0 as at_rest
       from endpoint_sync e join profile p on p.shard = e.shard and p.id = e.profile_id`,
    )
    for (const each of standing) if (isSettled(each)) settled.add(`${each.native_id} ${each.endpoint}`)
    const left = standing.length - settled.size
    if (left === 0) return
    if (waits % 20 === 19) say(`${left} endpoints to go`)
    await sleep(250)
  }
  throw new Error('the endpoints did not come to rest')
}

async function jobs(store: Store): Promise<{ settled: number; rerun: number }> {
  const [row] = await query<{ settled: number; rerun: number }>(
    store,
    `select count(*) filter (where state = 'completed') as settled, count(*) filter (where retry_count > 0) as rerun from engine.job where name = 'sync'`,
  )
  return row!
}
