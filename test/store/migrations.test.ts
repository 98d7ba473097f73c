import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { SetupError } from '#platform/errors.ts'
import { statement } from '#platform/postgres/database.ts'
import { migrate, planMigrations } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { migrateInProcess } from './migrate-in-process.ts'
import { type Opened, openFresh } from './opened.ts'

const tables = statement(
  'test-tables',
  `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
)
const applied = statement('test-applied', 'select name, applied_at from migration order by name')

let opened: Opened
let folder: string

beforeEach(async () => {
  opened = await openFresh()
  folder = mkdtempSync(join(tmpdir(), 'tributary-migrations-'))
})
afterEach(async () => {
  await opened.close()
  rmSync(folder, { recursive: true })
})

function write(files: Record<string, string>) {
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql)
  return readMigrations(folder)
}

async function tableNames(): Promise<string[]> {
  return (await opened.database.rows<{ name: string }>(tables)).map(({ name }) => name)
}

const refuses = (code: string) => (error: unknown) => error instanceof SetupError && error.code === code

suite('migrations', () => {
  test('are read in the order of their names, and nothing else in the folder is read', () => {
    const read = write({ '0002-b.sql': 'b', '0001-a.sql': 'a', '0003-c.sql': 'c', 'README.md': 'no' })
    assert.deepEqual(
      read.map(({ name }) => name),
      ['0001-a.sql', '0002-b.sql', '0003-c.sql'],
    )
  })

  for (const [what, files, said] of [
    ['a gap', ['0001-a.sql', '0003-c.sql'], /number 0002 is missing before 0003-c\.sql/],
    ['no beginning', ['0002-b.sql'], /number 0001 is missing before 0002-b\.sql/],
    ['a number twice', ['0001-a.sql', '0002-b.sql', '0002-c.sql'], /0002-b\.sql and 0002-c\.sql have the same number/],
    ['a name without a number', ['0001-a.sql', 'fix.sql'], /fix\.sql is not named like/],
  ] as const) {
    test(`with ${what} are refused`, () => {
      assert.throws(
        () => write(Object.fromEntries(files.map((name) => [name, 'select 1;']))),
        (error) => refuses('migrations_disordered')(error) && said.test((error as Error).message),
      )
    })
  }

  test('of a development version are refused as such, and nothing changes', async () => {
    await migrate(
      opened.database,
      1,
      write({ '0001-apps.sql': 'create table a (x int);', '0002-accounts.sql': 'create table b (x int);' }),
    )
    const ours = [{ name: '0001-baseline.sql', sql: 'create table c (x int);', checksum: 'c' }]
    for (const refused of [() => planMigrations(opened.database, ours), () => migrate(opened.database, 2, ours)])
      await assert.rejects(refused, (error) => {
        assert.match(
          (error as Error).message,
          /development version.*0001-apps\.sql where this release has 0001-baseline\.sql/,
        )
        assert.match((error as SetupError).help, /--data DIR.*createdb/s)
        return refuses('schema_development')(error)
      })
    assert.deepEqual(await tableNames(), ['a', 'b', 'migration'])
  })

  test('of this release prepare an empty database, and a second run does nothing', async () => {
    const ours = readMigrations()
    assert.ok(ours.length > 0)
    assert.deepEqual(
      await migrate(opened.database, 5),
      ours.map(({ name }) => name),
    )
    const before = await opened.database.rows(applied)
    assert.deepEqual(await migrate(opened.database, 6), [])
    assert.deepEqual(await opened.database.rows(applied), before)
    const plan = await planMigrations(opened.database)
    assert.deepEqual([plan.done.length, plan.pending], [ours.length, []])
  })

  test('can be listed without changing anything', async () => {
    const migrations = write({ '0001-a.sql': 'create table a (x int);' })
    const { done, pending } = await planMigrations(opened.database, migrations)
    assert.deepEqual([done, pending.map(({ name }) => name)], [[], ['0001-a.sql']])
    assert.deepEqual(await tableNames(), [])
  })

  test('continue with what is new', async () => {
    await migrate(opened.database, 1, write({ '0001-a.sql': 'create table a (x int);' }))
    const both = write({ '0002-b.sql': 'alter table a add y int; create table b (x int);' })
    assert.deepEqual(await migrate(opened.database, 2, both), ['0002-b.sql'])
    assert.deepEqual(await tableNames(), ['a', 'b', 'migration'])
    assert.deepEqual(await opened.database.rows(applied), [
      { name: '0001-a.sql', applied_at: 1 },
      { name: '0002-b.sql', applied_at: 2 },
    ])
  })

  test('R03 that fail half-way are rolled back, and the next run resumes there', async () => {
    const broken = write({
      '0001-a.sql': 'create table a (x int);',
      '0002-b.sql': 'create table half (x int); insert into a values (1); select 1 / 0;',
      '0003-c.sql': 'create table c (x int);',
    })
    await assert.rejects(migrate(opened.database, 1, broken), refuses('migration_failed'))
    assert.deepEqual(await tableNames(), ['migration'])
    const mended = write({ '0002-b.sql': 'create table b (x int);' })
    assert.deepEqual(await migrate(opened.database, 2, mended), ['0001-a.sql', '0002-b.sql', '0003-c.sql'])
    assert.deepEqual(await tableNames(), ['a', 'b', 'c', 'migration'])
  })

  test('that fail leave the database to the release before, unless a file that builds indexes came first', async () => {
    const before = write({ '0001-a.sql': 'create table a (x int);' })
    await migrate(opened.database, 1, before)
    const failing = { '0002-b.sql': 'create table b (x int);', '0003-c.sql': 'create table c (x int); select 1 / 0;' }
    const failure = async (files: Record<string, string>) => {
      const error = await migrate(opened.database, 2, write(files)).catch((caught: unknown) => caught)
      assert.ok(error instanceof SetupError && error.code === 'migration_failed')
      return error
    }
    const { message, help } = await failure(failing)
    assert.match(message, /^Migration 0003-c\.sql failed: division by zero\.\nThe statement: select 1 \/ 0$/)
    assert.match(help, /^Mend what PostgreSQL reports, then run: tributary migrate\n/)
    assert.match(help, /up to 0001-a\.sql\. The way back: start the release before.*migrations\/0001-a\.sql/s)
    assert.deepEqual((await planMigrations(opened.database, before)).pending, [])
    assert.deepEqual(await tableNames(), ['a', 'migration'])

    rmSync(join(folder, '0003-c.sql'))
    const later = await failure({
      '0003-index.sql': '-- no-transaction\ncreate index concurrently a_x on a (x);',
      '0004-c.sql': 'create table c (x int); select 1 / 0;',
    })
    assert.match(later.help, /up to 0003-index\.sql.*tributary backup restore FILE --force/s)
    await assert.rejects(planMigrations(opened.database, before), refuses('schema_newer'))
  })

  test('R03 of a process that is killed half-way resume', async () => {
    write({ '0001-a.sql': 'create table a (x int);', '0002-b.sql': 'create table b (x int); select pg_sleep(60);' })
    const child = migrateInProcess(opened.url, folder)
    const ended = once(child, 'exit')
    const sleeping = statement(
      'test-sleeping',
      `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    let asleep: object[] = []
    while (asleep.length === 0 && child.exitCode === null) asleep = await opened.database.rows(sleeping)
    child.kill('SIGKILL')
    await ended
    assert.equal(asleep.length, 1)
    // The server notices a lost client only when the statement ends.
    await opened.database.rows(statement('test-end', 'select pg_terminate_backend($1)'), [
      (asleep[0] as { pid: number }).pid,
    ])
    const mended = write({ '0002-b.sql': 'create table b (x int);' })
    assert.deepEqual(await migrate(opened.database, 2, mended), ['0001-a.sql', '0002-b.sql'])
    assert.deepEqual(await tableNames(), ['a', 'b', 'migration'])
  })

  test('have no time limit, also where the server limits statements', async () => {
    const slow = write({ '0001-a.sql': 'create table a (x int); select pg_sleep(1.5);' })
    const { pathname } = new URL(opened.url)
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await opened.database.script(`alter database ${pathname.slice(1)} set ${limit} = '1s'`)
    const limited = opened.another()
    await assert.rejects(limited.rows(statement('test-slow', 'select pg_sleep(60)')), { code: '57014' })
    assert.deepEqual(await migrate(limited, 1, slow), ['0001-a.sql'])
  })

  test('of several processes at once are applied once', async () => {
    const migrations = write({
      '0001-a.sql': 'create table a (x int); select pg_sleep(0.2);',
      '0002-b.sql': 'insert into a values (1);',
      '0003-c.sql': 'create table c (x int);',
    })
    const runs = await Promise.all([1, 2, 3, 4].map((now) => migrate(opened.another(), now, migrations)))
    assert.deepEqual(runs.flat().sort(), ['0001-a.sql', '0002-b.sql', '0003-c.sql'])
    assert.deepEqual(await opened.database.rows(statement('test-a', 'select x from a')), [{ x: 1 }])
  })

  test('of a newer release are refused, and nothing changes', async () => {
    await migrate(
      opened.database,
      1,
      write({
        '0001-a.sql': 'create table a (x int);',
        '0002-b.sql': 'create table b (x int);',
        '0003-later.sql': 'create table z (x int);',
      }),
    )
    rmSync(join(folder, '0003-later.sql'))
    const older = readMigrations(folder)
    await assert.rejects(planMigrations(opened.database, older), refuses('schema_newer'))
    await assert.rejects(migrate(opened.database, 2, older), refuses('schema_newer'))
    assert.deepEqual(await tableNames(), ['a', 'b', 'migration', 'z'])
  })

  test('whose history was edited are refused, and nothing changes', async () => {
    await migrate(opened.database, 1, write({ '0001-a.sql': 'create table a (x int);' }))
    const edited = write({ '0001-a.sql': 'create table a (x int, y int);', '0002-b.sql': 'create table b (x int);' })
    await assert.rejects(migrate(opened.database, 2, edited), (error) => {
      assert.match((error as Error).message, /0001-a\.sql/)
      return refuses('schema_edited')(error)
    })
    assert.deepEqual(await tableNames(), ['a', 'migration'])
  })
})
