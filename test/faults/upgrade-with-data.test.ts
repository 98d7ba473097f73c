import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { SetupError } from '#platform/errors.ts'
import { migrate, planMigrations } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { basic } from '../harness/app.ts'
import { type ClientDatabase, clientDatabase } from '../harness/database/client-database.ts'
import { type LabHarness, MANY_ITEMS, startLabHarness } from '../harness/lab.ts'
import { get, send } from '../harness/send.ts'
import { type Granted, signIn } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'

/** What the next releases may change while this one runs: add, and build an index without blocking writers. */
const NEXT = `
  create table next_release (shard smallint not null, id text collate "C" not null, primary key (shard, id));
  alter table app add column next_note text;
  alter table item add column next_flag boolean;
  alter table delivery_cursor add column next_count bigint not null default 0;`
const NEXT_INDEX = `-- no-transaction
  create index concurrently next_item_author on item (shard, profile_id, author, at);`

/** Rows of the person who does nothing meanwhile, without the columns that the running service keeps writing. */
const COMPARED: [table: string, where: string, without: string[]][] = [
  ['app', 'id = $1', []],
  ['app_secret', 'app_id = $1', []],
  ['service_key', 'app_id = $1', []],
  ['destination', 'app_id = $1', []],
  ['account', 'id = $2', []],
  ['access_token', 'account_id = $2', []],
  ['service_user', 'account_ids @> array[$2]', []],
  ['profile', 'account_id = $2', []],
  ['item', 'profile_id in (select id from profile where account_id = $2)', []],
  ['item_tombstone', 'profile_id in (select id from profile where account_id = $2)', []],
  [
    'endpoint_sync',
    'profile_id in (select id from profile where account_id = $2)',
    ['next_run_at', 'interval_ms', 'last_run_at', 'walk', 'seen', 'etag'],
  ],
  [
    'delivery_cursor',
    'profile_id in (select id from profile where account_id = $2)',
    ['due_at', 'lease_token', 'epoch', 'delivered_at'],
  ],
]
const NEW_COLUMNS = ['next_note', 'next_flag', 'next_count']

suite('an upgrade of a database with data', () => {
  let harness: LabHarness
  let target: ClientDatabase
  let folder: string
  let ada: Granted
  let ben: Granted
  let destination: { id: string }
  before(async () => {
    target = await clientDatabase()
    harness = await startLabHarness({}, {}, { maxActivity: MANY_ITEMS })
    folder = mkdtempSync(join(tmpdir(), 'tributary-next-'))
    cpSync(join(import.meta.dirname, '../../migrations'), folder, { recursive: true })
    const made = await send(harness, 'POST', '/push', {
      headers: basic(harness.app),
      json: { name: 'Ours', kind: 'postgres', url: target.url, filter: ['*'] },
    })
    destination = made.body as { id: string }
    ada = await signIn(harness, 'demo-social', 'ada', { flag: 'dm' })
    ben = await signIn(harness, 'demo-micro', 'ben', { flag: 'dm' })
    await synced(ada, 'demo-social')
    await synced(ben, 'demo-micro')
    await caughtUp()
  })
  after(async () => {
    await harness.stop()
    await target.drop()
    rmSync(folder, { recursive: true })
  })

  const synced = ({ access_token: token }: Granted, service: string) =>
    until('the first sync is done', async () => {
      const { body } = await get(harness, `/profiles/${service}/sync`, token)
      return Object.values(body as Record<string, { state: string }>).every(({ state }) => state === 'done')
    })
  const caughtUp = () =>
    until('the destination is caught up', async () => {
      const { body } = await send(harness, 'GET', `/push/${destination.id}`, { headers: basic(harness.app) })
      return body['profiles_behind'] === 0 && (body['profiles'] as number) > 0
    })
  const next = (title: string, sql: string) => {
    const number = String(readMigrations(folder).length + 1).padStart(4, '0')
    writeFileSync(join(folder, `${number}-${title}.sql`), sql)
    return readMigrations(folder)
  }
  const stored = async () => {
    const rows: Record<string, string[]> = {}
    for (const [table, where, without] of COMPARED) {
      const found = await harness.sql<{ row: string }>(
        `select (to_jsonb(t) - $3::text[])::text as row from ${table} t where ${where} and ($1 <> $2) order by 1`,
        [harness.app.clientId, ada.account, [...without, ...NEW_COLUMNS]],
      )
      rows[table] = found.map(({ row }) => row)
    }
    return rows
  }
  const photos = async () => (await send(harness, 'GET', '/types/photos?limit=50', { token: ada.access_token })).text

  test('loses and changes nothing while the previous release reads, writes and delivers', async () => {
    const before = { rows: await stored(), photos: await photos() }
    for (const table of ['app', 'account', 'profile', 'item', 'endpoint_sync', 'destination', 'delivery_cursor'])
      assert.ok(before.rows[table]!.length > 0, `${table} is filled`)

    const load = { over: false, written: 0, read: 0, failures: [] as string[] }
    const writers = [1, 2].map(async (writer) => {
      for (let n = 0; !load.over; n += 1) {
        const { status, text } = await send(harness, 'POST', '/services/self/notes', {
          token: ben.access_token,
          json: [{ id: `w${writer}-${n}`, type: 'statuses' }],
        })
        if (status === 200) load.written += 1
        else load.failures.push(text)
      }
    })
    const reader = (async () => {
      while (!load.over) {
        if ((await photos()) === before.photos) load.read += 1
        else load.failures.push('ada reads something else')
      }
    })()
    const more = async () => {
      const { written, read } = load
      await until('more was read and written', () => load.written > written + 3 && load.read > read + 3)
    }

    const { database, clock } = harness.tributary.store
    const names = next('next', NEXT).map(({ name }) => name)
    await more()
    assert.deepEqual(await migrate(database, clock.now(), readMigrations(folder)), names.slice(-1))
    await more()

    // A transaction that has written blocks the index build, so that it certainly takes a while.
    const holder = new Client({ connectionString: harness.tributary.databaseUrl })
    await holder.connect()
    await holder.query('begin')
    await holder.query('delete from item where false')
    const building = migrate(database, clock.now(), next('next-index', NEXT_INDEX))
    const valid = async () =>
      (
        await harness.sql<{ valid: boolean }>(
          `select indisvalid as valid from pg_index where indexrelid = to_regclass('next_item_author')`,
        )
      )[0]?.valid
    await until('the index is being built', async () => (await valid()) === false)
    await more()
    assert.equal(await valid(), false)
    await holder.query('commit')
    await holder.end()
    assert.deepEqual(await building, [readMigrations(folder).at(-1)!.name])
    assert.equal(await valid(), true)
    await more()

    load.over = true
    await Promise.all([...writers, reader])
    assert.deepEqual(load.failures, [])
    await caughtUp()
    const after = await stored()
    for (const [table, rows] of Object.entries(before.rows)) assert.deepEqual(after[table], rows, table)
    const [written] = await harness.sql<{ n: number }>(`select count(*)::int as n from item where endpoint = 'notes'`)
    const [arrived] = await target.sql<{ n: number }>(
      `select count(*)::int as n from tributary_items where endpoint = 'notes'`,
    )
    assert.deepEqual([written?.n, arrived?.n], [load.written, load.written])
  })

  test('leaves the previous release ready, and refuses a new start of it', async () => {
    const response = await fetch(`${harness.tributary.url}/readyz`)
    const { checks } = (await response.json()) as { checks: Record<string, { ok: boolean; detail: string }> }
    assert.equal(response.status, 200)
    assert.match(checks['migrations']?.detail ?? '', /newer release/)
    await assert.rejects(
      planMigrations(harness.tributary.store.database),
      (error) => error instanceof SetupError && error.code === 'schema_newer',
    )
  })
})
