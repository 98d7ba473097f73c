import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { loadConfig } from '#config/config.ts'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import { addDestination } from '#flows/push/manage/destinations.ts'
import { ingest } from '#flows/sync/commit/commit-page.ts'
import { openItemStream } from '#flows/sync/diff/item-stream.ts'
import { storeOwnItems } from '#flows/sync/own-items/store-own-items.ts'
import type { Account } from '#model/accounts/account.ts'
import { systemClock } from '#platform/clock.ts'
import { newShardId } from '#platform/crypto/ids.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { insertAccount } from '#store/identity/accounts.ts'
import { insertProfile } from '#store/identity/profiles.ts'
import type { LosslessJson } from '#upstream/body/lossless-json.ts'
import { openStore } from '../src/boot/open-store.ts'
import { withServices } from '../src/boot/with-services.ts'
import { processTree } from '../test/chaos/process-tree.ts'
import { LOOPBACK } from '../test/harness/loopback.ts'
import { makeRecords } from './read-records.ts'
import { dropIndexes } from './read-store.ts'

const SERVER = process.env['BENCH_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const APP = 'bench'
const TEMPLATE = 1000

export type PushFixture = Awaited<ReturnType<typeof openPushFixture>>

/** A store with items, `tributary work` in a separate process, and clients' databases on the same server. */
export async function openPushFixture() {
  const name = `tributary_bench_${randomBytes(4).toString('hex')}`
  const created: string[] = []
  const newDatabase = async (suffix: string): Promise<string> => {
    const url = new URL(SERVER)
    url.pathname = `/${name}_${suffix}`
    await onServer(`create database ${name}_${suffix}`)
    created.push(`${name}_${suffix}`)
    return url.href
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
  const env = {
    DATABASE_URL: await newDatabase('store'),
    TRIBUTARY_DATA: dataDir,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
    LOG_LEVEL: 'warn',
  }
  const config = loadConfig(env)
  const log = createLog({
    level: 'warn',
    format: 'text',
    clock: systemClock,
    write: (text) => process.stderr.write(text),
  })
  const store = await openStore(config, log)
  const client = new Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  await client.query(
    `insert into app (id, name, redirect_uris, token_flow, created_at) values ($1, 'Bench', '{}', true, 0)`,
    [APP],
  )
  let worker: ChildProcess | undefined

  const newAccount = async (shard: number): Promise<Account> => {
    const account = { shard, id: newShardId(shard, systemClock.now()), appId: APP, shards: [shard], createdAt: 0 }
    await insertAccount(store.database, account)
    return account
  }
  const newProfile = async (account: Account): Promise<string> => {
    const id = newShardId(account.shard, systemClock.now())
    await insertProfile(store.database, {
      shard: account.shard,
      id,
      accountId: account.id,
      appId: APP,
      service: demoSocial.service,
      nativeId: `owner-${account.shard}`,
      state: 'active',
      pausedAt: undefined,
      stateUntil: undefined,
      error: undefined,
      scope: undefined,
      person: {},
      data: '{}',
      connectedAt: 0,
      updatedAt: 0,
      syncedAt: undefined,
    })
    return id
  }

  return {
    newDatabase,
    /** Fills other profiles with copies of the same records. */
    fill: async (profiles: number, itemsEach: number): Promise<void> => {
      const account = await newAccount(0)
      const key = { shard: 0, profileId: await newProfile(account) }
      const records = [...makeRecords(TEMPLATE * 4)].filter(({ stream }) => stream === 'feed').slice(0, TEMPLATE)
      const stream = openItemStream(demoSocial, 'feed', demoSocial.endpoints['feed']!, 'owner', key, 0)
      const texts = records.map(({ record }) => record as LosslessJson)
      await store.database.transaction((tx) => ingest(tx, stream, texts, texts.length, systemClock.now()))
      const indexes = await dropIndexes(client)
      for (let shard = 1; shard <= profiles; shard += 1) {
        const id = await newProfile(await newAccount(shard))
        const { rowCount } = await client.query(
          `insert into item select $1, $2, gen_random_uuid(), i.endpoint, i.native_id || '-' || n, i.at, i.updated_at,
             row_number() over (), hash, types, author, participants, guid, lat, lng, words, oembed, data
           from item i cross join generate_series(1, $3::int) n where i.shard = 0 and i.profile_id = $4`,
          [shard, id, itemsEach / TEMPLATE, key.profileId],
        )
        await client.query(
          `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq) values ($1, $2, $3, $4, 8e15, $5)`,
          [shard, id, APP, demoSocial.service, rowCount],
        )
      }
      for (const index of indexes) await client.query(index)
      await client.query('vacuum analyze')
    },
    /** Starts the worker and waits until it is connected. */
    startWorker: async (): Promise<void> => {
      const connections = async (): Promise<number> =>
        (await client.query(`select 1 from pg_stat_activity where datname = current_database()`)).rowCount!
      const before = await connections()
      worker = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts'), 'work'], {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      await until(async () => (await connections()) > before)
      // A destination that receives nothing, so that the process that delivers runs before anything is measured.
      await withServices(config, log, (deps) =>
        addDestination(
          deps,
          APP,
          {
            name: 'idle',
            kind: 'postgres',
            url: `${SERVER}?sslmode=disable`,
            filter: ['/services/self/none'],
            schedule: 'manual',
          },
          'bench',
        ),
      )
      await until(async () => processTree(worker!.pid!).length >= 3)
      await sleep(3000)
    },
    stopWorker: async (): Promise<void> => {
      if (worker === undefined || worker.exitCode !== null) return
      const ended = once(worker, 'exit')
      worker.kill('SIGTERM')
      await ended
    },
    /** The peak resident memory of any of the worker processes, in MB. */
    peakMb: (): number =>
      Math.max(
        ...processTree(worker!.pid!).map(
          (pid) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
        ),
      ),
    /** Creates a destination, waits until everything is delivered, and returns the milliseconds it took. */
    backfill: async (url: string): Promise<number> => {
      const beganAt = performance.now()
      const { destination } = await withServices(config, log, (deps) =>
        addDestination(
          deps,
          APP,
          { name: 'bench', kind: 'postgres', url: `${url}?sslmode=disable`, filter: ['*'] },
          'bench',
        ),
      )
      await until(async () => {
        const { rows } = await client.query<{ open: number; state: string; error: string | null }>(
          `select (select count(*) from delivery_cursor where destination_id = d.id and (due_at is not null or revision > acked_revision))::int as open,
             state, last_error as error from destination d where id = $1`,
          [destination.id],
        )
        if (rows[0]!.state !== 'active') throw new Error(rows[0]!.error ?? rows[0]!.state)
        return rows[0]!.open === 0
      })
      return performance.now() - beganAt
    },
    newAccount,
    /** Stores one item as an app does; it is committed when this returns. */
    put: async (account: Account, item: { id: string; [field: string]: string | number }) => {
      await storeOwnItems(store, account, 'things', [item])
    },
    close: async () => {
      if (worker !== undefined && worker.exitCode === null) {
        const ended = once(worker, 'exit')
        worker.kill('SIGKILL')
        await ended
      }
      await client.end()
      await store.close()
      for (const each of created) await onServer(`drop database if exists ${each} with (force)`)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Unlike the one of the tests, it polls at even intervals and without a timeout, because times are measured with it. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(25)
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  await client.query(sql)
  await client.end()
}
