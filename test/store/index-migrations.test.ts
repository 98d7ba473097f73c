import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { Client } from 'pg'
import { SetupError } from '#platform/errors.ts'
import { type Database, type Queries, statement } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { until } from '../harness/until.ts'
import { migrateInProcess } from './migrate-in-process.ts'
import { type Opened, openFresh } from './opened.ts'

const BUILD = '-- no-transaction\ncreate index concurrently thing_value on thing (value);\n'
const UNIQUE =
  '-- no-transaction\ncreate index concurrently thing_first on thing (id, value);\ncreate unique index concurrently thing_once on thing (value);'

let opened: Opened
let folder: string
/** Closed at the end of each test, in this order. */
let open: { end: () => Promise<unknown> }[]

beforeEach(async () => {
  opened = await openFresh()
  folder = mkdtempSync(join(tmpdir(), 'tributary-index-migrations-'))
  open = []
  writeFileSync(join(folder, '0001-thing.sql'), 'create table thing (id bigint primary key, value bigint not null);')
  await migrate(opened.database, 1, readMigrations(folder))
})
afterEach(async () => {
  for (const each of open) await each.end()
  await opened.close()
  rmSync(folder, { recursive: true })
})

function next(sql: string) {
  writeFileSync(join(folder, '0002-index.sql'), sql)
  return readMigrations(folder)
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: opened.url })
  client.on('error', () => {})
  await client.connect()
  open.push(client)
  return client
}

/** A transaction that has written into the table: an index build waits for its end. */
async function writeAndHold(): Promise<Client> {
  const client = await connect()
  await client.query('begin')
  await client.query('insert into thing values (-1, -1)')
  return client
}

interface Index {
  oid: number
  valid: boolean
}

const find = statement(
  'test-index',
  'select indexrelid::int as oid, indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
)
const recorded = statement('test-recorded', 'select name from migration order by name')
const builders = statement(
  'test-builders',
  'select pid from pg_stat_progress_create_index where datname = current_database()',
)

async function index(name = 'thing_value'): Promise<Index | undefined> {
  return (await opened.database.rows<Index>(find, [name]))[0]
}

const untilBuilding = () =>
  until('the index is being built', async () => ((await index())?.valid === false ? index() : undefined))
const names = async () => (await opened.database.rows<{ name: string }>(recorded)).map(({ name }) => name)

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

suite('a migration that builds an index outside a transaction', () => {
  test('lets writers commit while it runs', async () => {
    const migrations = next(BUILD)
    const load = { over: false, written: 0 }
    const writers = [1, 2, 3].map(async (writer) => {
      const client = await connect()
      for (let n = 0; !load.over; n += 1) {
        await client.query('insert into thing values ($1, $2)', [writer * 1_000_000 + n, n])
        load.written += 1
      }
    })
    const holder = await writeAndHold()
    const run = migrate(opened.another(), 2, migrations)
    await untilBuilding()
    const before = load.written
    await until('writers commit', () => load.written > before + 10)
    assert.equal((await index())?.valid, false)
    await holder.query('commit')
    assert.deepEqual(await run, ['0002-index.sql'])
    load.over = true
    await Promise.all(writers)
    assert.equal((await index())?.valid, true)
    const reader = await connect()
    await reader.query('set enable_seqscan = off')
    const { rows } = await reader.query<{ n: string }>('select count(*) as n from thing where value >= -1')
    assert.equal(Number(rows[0]?.n), load.written + 1)
  })

  test('whose process and session were killed half-way is built again by the next run', async () => {
    next(BUILD)
    const holder = await writeAndHold()
    const child = migrateInProcess(opened.url, folder)
    const half = await untilBuilding()
    await killed(child)
    const [builder] = await opened.database.rows<{ pid: number }>(builders)
    await opened.database.rows(statement('test-cut', 'select pg_terminate_backend($1)'), [builder!.pid])
    await until('the build has ended', async () => (await opened.database.rows(builders)).length === 0)
    await holder.query('commit')
    assert.equal((await index())?.valid, false)
    assert.deepEqual(await names(), ['0001-thing.sql'])
    assert.deepEqual(await migrate(opened.database, 2, readMigrations(folder)), ['0002-index.sql'])
    const whole = await index()
    assert.equal(whole?.valid, true)
    assert.notEqual(whole.oid, half.oid)
    assert.deepEqual(await names(), ['0001-thing.sql', '0002-index.sql'])
  })

  test('whose process was killed while its session continues is waited for, and its index is kept', async () => {
    next(BUILD)
    const holder = await writeAndHold()
    const child = migrateInProcess(opened.url, folder)
    const half = await untilBuilding()
    await killed(child)
    const plain = opened.another()
    let looks = 0
    const looking: Database = {
      ...plain,
      dedicated: (work) =>
        plain.dedicated((queries) => {
          const watched: Queries['rows'] = (query, values) => {
            if (query.name === 'index-being-built') looks += 1
            return queries.rows(query, values)
          }
          return work({ ...queries, rows: watched })
        }),
    }
    const run = migrate(looking, 2, readMigrations(folder))
    await until('it waits for the build', () => looks > 2)
    assert.deepEqual(await index(), half)
    await holder.query('commit')
    assert.deepEqual(await run, ['0002-index.sql'])
    assert.deepEqual(await index(), { oid: half.oid, valid: true })
  })

  test('is built once by processes that start together, and those that wait do not block it', async () => {
    const migrations = next(BUILD)
    const holder = await writeAndHold()
    const first = migrate(opened.another(), 2, migrations)
    const half = await untilBuilding()
    const others = [3, 4].map((now) => {
      const plain = opened.another()
      let tries = 0
      const withoutTimeout: Database['withoutTimeout'] = (work) => {
        tries += 1
        return plain.withoutTimeout(work)
      }
      return { tries: () => tries, run: migrate({ ...plain, withoutTimeout }, now, migrations) }
    })
    await until('the others wait', () => others.every(({ tries }) => tries() > 2))
    await holder.query('commit')
    assert.deepEqual(await first, ['0002-index.sql'])
    assert.deepEqual(await Promise.all(others.map(({ run }) => run)), [[], []])
    assert.deepEqual(await index(), { oid: half.oid, valid: true })
  })

  test('that fails leaves no index behind and is named; what was built before stays', async () => {
    await opened.database.script('insert into thing values (1, 5), (2, 5)')
    const migrations = next(UNIQUE)
    await assert.rejects(migrate(opened.database, 2, migrations), (error) => {
      assert.ok(error instanceof SetupError)
      assert.equal(error.code, 'index_not_built')
      assert.match(error.message, /0002-index\.sql could not build the index thing_once: could not create unique index/)
      return true
    })
    assert.equal(await index('thing_once'), undefined)
    const first = await index('thing_first')
    assert.equal(first?.valid, true)
    assert.deepEqual(await names(), ['0001-thing.sql'])
    await opened.database.script('delete from thing where id = 2')
    assert.deepEqual(await migrate(opened.database, 3, migrations), ['0002-index.sql'])
    assert.equal((await index('thing_once'))?.valid, true)
    assert.deepEqual(await index('thing_first'), first)
  })

  test('that a time limit of the server cancels says how to run it without', async () => {
    const name = new URL(opened.url).pathname.slice(1)
    const migrations = next(BUILD)
    const holder = await writeAndHold()
    await opened.database.script(`alter database ${name} set statement_timeout = '200ms'`)
    await assert.rejects(
      migrate(opened.another(), 2, migrations),
      (error) => error instanceof SetupError && /PGOPTIONS='-c statement_timeout=0'/.test(error.help),
    )
    await holder.query('commit')
    await opened.database.script(`alter database ${name} reset statement_timeout`)
    assert.deepEqual(await migrate(opened.another(), 2, migrations), ['0002-index.sql'])
    assert.equal((await index())?.valid, true)
  })

  test('does not wait for its own lock where transactions keep their snapshot by default', async () => {
    const name = new URL(opened.url).pathname.slice(1)
    await opened.database.script(`alter database ${name} set default_transaction_isolation = 'repeatable read'`)
    assert.deepEqual(await migrate(opened.another(), 2, next(BUILD)), ['0002-index.sql'])
  })

  test('works with a pool of one connection', async () => {
    assert.deepEqual(await migrate(opened.another({ pool: 1 }), 2, next(BUILD)), ['0002-index.sql'])
  })

  test('can replace an index', async () => {
    await opened.database.script('create index thing_old on thing (value, id)')
    const replaced = `${BUILD}-- Replaced; a comment may hold a semicolon.\ndrop index concurrently if exists thing_old;`
    assert.deepEqual(await migrate(opened.database, 2, next(replaced)), ['0002-index.sql'])
    assert.deepEqual([(await index())?.valid, await index('thing_old')], [true, undefined])
  })
})
