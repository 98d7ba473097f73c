import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { loadConfig } from '#config/config.ts'
import { createApp } from '#flows/apps/apps.ts'
import { setServiceKey } from '#flows/apps/keys.ts'
import { addDestination } from '#flows/push/manage/destinations.ts'
import { newAccessToken } from '#model/accounts/access-token.ts'
import { systemClock } from '#platform/clock.ts'
import { randomSecret } from '#platform/crypto/ids.ts'
import { openEmbedded } from '#platform/embedded-postgres/open.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertAccessToken } from '#store/identity/access-tokens.ts'
import { openStore } from '../src/boot/open-store.ts'
import { loadRegistry } from '../src/boot/registry.ts'
import { withServices } from '../src/boot/with-services.ts'
import { basic } from '../test/harness/app.ts'
import { LOOPBACK } from '../test/harness/loopback.ts'
import type { CpuTime } from './capacity-formula.ts'
import { INTERVAL_MS, type Mode, type SeededProfile, seedProfiles } from './capacity-seed.ts'
import { cpuMs, parentOf } from './cpu-time.ts'

const APPS = 10
/** The service of connectors/steady.ts. */
export const STEADY = 'steady'

export type CapacityFixture = Awaited<ReturnType<typeof openCapacityFixture>>

/**
 * `tributary serve` with its worker processes, a PostgreSQL of its own, so that all of its processes can be counted, and a service
 * in a process that is not counted.
 */
export async function openCapacityFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-capacity-'))
  chmodSync(folder, 0o711)
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (text) => process.stderr.write(text),
  })
  const embedded = await openEmbedded({ dataDir: join(folder, 'database'), password: randomSecret(), log })
  const env = {
    DATABASE_URL: embedded.url,
    TRIBUTARY_DATA: join(folder, 'data'),
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    TRIBUTARY_CONNECTORS: join(import.meta.dirname, 'connectors'),
    LOG_LEVEL: 'warn',
    PORT: '0',
  }
  const config = loadConfig(env)
  const store = await openStore(config, log)
  const client = new Client({ connectionString: embedded.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0]!.pid)
  const [lab, labUrl] = await startProcess([join(import.meta.dirname, 'capacity-lab.ts')], {})
  const apps = await createApps({ ...store, registry: await loadRegistry(config) }, labUrl)
  const appIds = apps.map(({ id }) => id)
  await client.query(`update app set sync = $1`, [
    { pace: { 'steady/*': { text: `${INTERVAL_MS / 60_000}m`, everyMs: INTERVAL_MS } } },
  ])
  let service: { process: ChildProcess; url: string } | undefined

  return {
    client,
    /** Starts the service and waits until it has planned for the first time. */
    start: async (): Promise<void> => {
      const profiling = process.env['BENCH_CPU_PROFILE']
      const [started, url] = await startProcess([join(import.meta.dirname, '../src/main.ts'), 'serve'], {
        ...env,
        ...(profiling === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiling}` }),
      })
      service = { process: started, url }
      await sleep(5000)
    },
    stop: async (): Promise<void> => {
      if (service !== undefined) await endProcess(service.process, 'SIGTERM')
      service = undefined
    },
    url: () => service!.url,
    /** The credentials of the first app. */
    basic: () => basic({ clientId: apps[0]!.id, secret: apps[0]!.secret }),
    seed: (options: { mode: Mode; count: number; dueAt: (index: number) => number }): Promise<SeededProfile[]> =>
      seedProfiles(client, store.keyring, appIds, options),
    /** How many listings the service has been asked for. */
    calls: async (): Promise<number> => Number(await (await fetch(`${labUrl}/calls`)).text()),
    cpu: (): CpuTime => ({ ours: cpuMs(service!.process.pid!), database: cpuMs(postmaster) }),
    newToken: async ({ shard, accountId }: SeededProfile): Promise<string> => {
      const token = newAccessToken(shard, systemClock.now())
      const hash = store.hasher.hash('access_token', token)
      const account = { shard, id: accountId, appId: appIds[0]!, shards: [shard], createdAt: 0 }
      await insertAccessToken(store.database, account, { hash, profileId: '', createdAt: systemClock.now() })
      return token
    },
    /** Delivers everything of all apps to a database. */
    deliverTo: async (url: string): Promise<void> => {
      const options = { name: 'capacity', kind: 'postgres' as const, url: `${url}?sslmode=disable`, filter: ['*'] }
      for (const appId of appIds)
        await withServices(config, log, (deps) => addDestination(deps, appId, options, 'bench'))
    },
    close: async () => {
      if (service !== undefined) await endProcess(service.process, 'SIGKILL')
      await endProcess(lab, 'SIGKILL')
      await client.end()
      await store.close()
      await embedded.release()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function createApps(deps: Parameters<typeof setServiceKey>[0] & Parameters<typeof createApp>[0], labUrl: string) {
  const apps: { id: string; secret: string }[] = []
  for (let i = 0; i < APPS; i += 1) {
    const { app, secret } = await createApp(deps, { name: `Bench ${i}`, redirectUris: ['https://app.test/'] }, 'bench')
    const key = { service: STEADY, key: 'key', secret: 'secret', overrides: { base_url: labUrl } }
    await setServiceKey(deps, app.id, key, 'bench')
    apps.push({ id: app.id, secret })
  }
  return apps
}

/** Starts a program that prints its address when it is ready. */
async function startProcess(command: string[], env: Record<string, string>): Promise<[ChildProcess, string]> {
  const started = spawn(process.execPath, command, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    started.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [found] = /http:\/\/[^\s"]+/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    started.once('exit', () => reject(new Error(`${command.at(-1)} ended before it was ready`)))
  })
  return [started, url]
}

async function endProcess(started: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (started.exitCode !== null) return
  const ended = once(started, 'exit')
  started.kill(signal)
  await ended
}
