import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { newAccessToken } from '#model/accounts/access-token.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertAccessToken } from '#store/identity/access-tokens.ts'
import { openStore, type Store } from '../../src/boot/open-store.ts'
import type { Tuning } from '../../src/boot/tuning.ts'
import { compare } from '../chaos/compare.ts'
import { populate } from '../chaos/populate.ts'
import { processTree, signalTree } from '../chaos/process-tree.ts'
import { startChaosService } from '../chaos/service.ts'
import { settle } from '../chaos/settle.ts'
import type { App } from '../harness/app.ts'
import { type ClientDatabase, clientDatabase } from '../harness/database/client-database.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { type Pusher, pusher } from '../harness/push.ts'
import { startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'
import { startPooler } from '../store/pgbouncer.ts'

/** One `serve` with its worker processes, on a data folder of its own, as on a machine of its own. */
export interface Server {
  url: string
  /** Its process and those of its workers. */
  pids: () => number[]
  /** Profiles that it and its workers synced, and rows that they delivered. */
  done: () => Promise<Done>
  /** Sends a signal to the process and waits for its end. Returns the exit code. */
  end: (signal: NodeJS.Signals) => Promise<number | null>
  /** Kills the process and its workers at once. */
  kill: () => Promise<void>
  /** Stops the process and its workers until `thaw` is called. Returns their ids. */
  freeze: () => number[]
  thaw: () => void
  said: () => string
}

export interface Done {
  synced: number
  /** Runs that another process had taken over. */
  lost: number
  failed: number
  rows: number
  /** Whether its sync worker runs. */
  isSyncing: boolean
}

export interface ProcessGroup {
  servers: Server[]
  /** Starts one more process. */
  join: () => Promise<Server>
  service: Awaited<ReturnType<typeof startChaosService>>
  store: Store
  target: ClientDatabase
  /** An access token of the person with this number. */
  tokenOf: (person: number) => Promise<string>
  /** Waits until all has been synced and delivered after the last change, then compares service, store and destination. */
  compared: () => Promise<{ items: number; faults: Record<string, number> }>
  close: () => Promise<void>
}

const PEOPLE = 40
const TUNED = join(import.meta.dirname, 'tuned-server.ts')

/** Equal processes behind a pooler in transaction mode, a service that changes all the time, and a destination. */
export async function startGroup(count: number, tuning?: Tuning): Promise<ProcessGroup> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closing.toReversed()) await each()
  }
  try {
    return await openGroup(count, tuning, closing, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function openGroup(
  count: number,
  tuning: Tuning | undefined,
  closing: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<ProcessGroup> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tributary-processes-')))
  chmodSync(folder, 0o755)
  closing.push(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const database = await freshDatabase()
  closing.push(() => database.drop())
  const pooler = await startPooler(database.url, { servers: 12, clients: 600 })
  closing.push(() => pooler.stop())
  const shared = {
    DATABASE_POOL: '4',
    DATABASE_PREPARED: 'false',
    TRIBUTARY_KEY: randomBytes(32).toString('base64'),
    TRIBUTARY_ADMIN_TOKEN: randomBytes(24).toString('hex'),
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../chaos/connectors'),
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    // No run waits for the rate limiter.
    CHAOS_CALLS: '1000000',
    PORT: '0',
  }
  const silent = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })
  const config = { ...shared, DATABASE_URL: database.url, TRIBUTARY_DATA: join(folder, 'test') }
  const store = await openStore(loadConfig(config), silent)
  closing.push(() => store.close())
  const service = await startChaosService({
    seed: 7,
    people: PEOPLE,
    apps: 1,
    latencyMs: [50, 250],
    faults: 0,
    windowMs: 10_000,
  })
  closing.push(() => service.close())
  const [app] = await populate(store, service, { apps: 1, everyMs: 1000 })
  const target = await clientDatabase()
  closing.push(() => target.drop())

  const servers: Server[] = []
  closing.push(() => Promise.all(servers.map((server) => server.kill())))
  let started = 0
  const startOne = async (): Promise<Server> => {
    started += 1
    const data = join(folder, `machine-${started}`)
    mkdirSync(data)
    const env = { ...shared, DATABASE_URL: pooler.url, TRIBUTARY_DATA: data, TEST_TUNING: JSON.stringify(tuning ?? {}) }
    const server = await startServer(env, tuning !== undefined)
    servers.push(server)
    return server
  }
  await Promise.all(Array.from({ length: count }, startOne))
  service.change(PEOPLE)
  await pusherOf(servers[0]!, app!).add({ kind: 'postgres', url: target.url })
  return {
    servers,
    join: startOne,
    service,
    store,
    target,
    close,
    tokenOf: (person) => insertToken(store, person),
    compared: async () => {
      service.calm()
      await settle(store, service.calmSince, () => {})
      await until(
        'every change is delivered',
        () => openCursors(store),
        (open) => open === 0,
      )
      const { items, ...ofStore } = await compare(store.database, service.people)
      return { items, faults: { ...ofStore, ...(await compareDestination(store, target)) } }
    },
  }
}

function pusherOf({ url }: Server, app: App): Pusher {
  return pusher({ tributary: { url } }, app)
}

async function startServer(env: Record<string, string>, isTuned: boolean): Promise<Server> {
  const running = await startProcess(['serve'], env, isTuned ? TUNED : undefined)
  const { child, document } = running
  const url = document['url']!
  let frozen: number[] = []
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const signalEach = (pids: number[], signal: NodeJS.Signals) => {
    for (const pid of pids) signalTree(pid, signal)
  }
  return {
    url,
    pids: () => processTree(child.pid!),
    done: () => readMetrics(url),
    end: async (signal) => (await running.end(signal)).code,
    kill: async () => {
      if (hasEnded()) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      signalEach(processTree(child.pid!), 'SIGKILL')
      await ended
    },
    freeze: () => (frozen = signalTree(child.pid!, 'SIGSTOP')),
    thaw: () => signalEach(frozen, 'SIGCONT'),
    said: () => running.output().stderr,
  }
}

async function readMetrics(url: string): Promise<Done> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const valueOf = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1] ?? 0,
    )
  return {
    synced: valueOf('tributary_sync_runs_total{end="finished"}'),
    lost: valueOf('tributary_sync_runs_total{end="lease_lost"}'),
    failed: valueOf('tributary_sync_runs_total{end="failed"}'),
    rows: valueOf('tributary_push_rows_total{kind="postgres"}'),
    isSyncing: valueOf('tributary_worker_up{lane="sync"}') === 1,
  }
}

async function insertToken({ database, hasher }: Store, person: number): Promise<string> {
  const [row] = await database.rows<{ shard: number; id: string; app_id: string }>(
    {
      name: '',
      text: `select a.shard, a.id, a.app_id from account a join profile p on p.account_id = a.id where p.native_id = $1`,
    },
    [String(person)],
  )
  const account = { shard: row!.shard, id: row!.id, appId: row!.app_id, shards: [row!.shard], createdAt: 0 }
  const token = newAccessToken(account.shard, Date.now())
  const hash = hasher.hash('access_token', token)
  await insertAccessToken(database, account, { hash, profileId: '', createdAt: Date.now() })
  return token
}

async function openCursors({ database }: Store): Promise<number> {
  const text =
    'select count(*)::int as n from delivery_cursor where revision > acked_revision or lease_token is not null'
  return (await database.rows<{ n: number }>({ name: '', text }))[0]!.n
}

/** Rows of the destination that differ from the store: absent, of another version, or too many. */
async function compareDestination({ database }: Store, target: ClientDatabase): Promise<Record<string, number>> {
  const stored = await database.rows<{ name: string; version: string }>({
    name: '',
    text: `select profile_id || ' ' || replace(id::text, '-', '') as name, seq || ' ' || (data ->> 'text') as version from item`,
  })
  const delivered = await target.sql<{ name: string; version: string }>(
    `select profile_id || ' ' || left(id, 32) as name, seq || ' ' || (data ->> 'text') as version
     from tributary_items where deleted_at is null`,
  )
  const there = new Map(delivered.map(({ name, version }) => [name, version]))
  const names = new Set(stored.map(({ name }) => name))
  return {
    undelivered: stored.filter(({ name }) => !there.has(name)).length,
    outdated: stored.filter(({ name, version }) => there.has(name) && there.get(name) !== version).length,
    undeleted: delivered.filter(({ name }) => !names.has(name)).length,
    repeated: delivered.length - there.size,
  }
}
