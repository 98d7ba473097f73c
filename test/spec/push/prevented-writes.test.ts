import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Person } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

const refusing = (code: string) => [
  `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now' using errcode = '${code}'; end $$`,
  'create trigger refuse before insert on tributary_items for each statement execute function refuse()',
]

/** What an app does to its database: the statements, the expected error, and the statements that undo it. */
const FAILS: [check: string, what: string, done: string[], says: RegExp, undone: string[]][] = [
  [
    'P11',
    'a column was dropped',
    ['alter table tributary_items drop column guid cascade'],
    /^42703 .*guid/,
    [`alter table tributary_items add column guid text[] not null default '{}'`],
  ],
  [
    'P11',
    'a column was renamed',
    ['alter table tributary_items rename author to writer'],
    /^42703 .*author/,
    ['alter table tributary_items rename writer to author'],
  ],
  [
    'P11',
    'a column has another type',
    ['alter table tributary_items alter idr type integer using 0'],
    /^42804 .*idr/,
    [`alter table tributary_items alter idr type text using ''`],
  ],
  ['P11', 'a trigger fails', refusing('P0001'), /^P0001 not now/, ['drop trigger refuse on tributary_items']],
  ['P13', 'another session holds a lock', ['begin; lock table tributary_items'], /^55P03 .*lock timeout/, ['rollback']],
  ['P13', 'the disk is full', refusing('53100'), /^53100 /, ['drop trigger refuse on tributary_items']],
  [
    'P13',
    'the server is read-only',
    [
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tributary push' and datname = current_database()`,
    ],
    /^25006 .*read-only/,
    [
      `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tributary push' and datname = current_database()`,
    ],
  ],
  [
    'P11',
    'a view stands where a table was',
    [
      'alter table tributary_items rename to theirs',
      'create view tributary_items as select * from theirs where false union all select * from theirs',
    ],
    /^55000 .*tributary_items/,
    ['drop view tributary_items', 'alter table theirs rename to tributary_items'],
  ],
]

suite('writes that the database prevents', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness({ firstWaitMs: 100 })
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  afterEach(() => theirs.drop())

  for (const [check, what, done, says, undone] of FAILS)
    test(`${check} ${what}: the destination fails with the reason, no row becomes a dead letter, and everything is delivered after the repair`, async () => {
      const made = await app.add({ kind: 'postgres', url: theirs.url })
      await harness.put(ada, [{ id: 'a' }])
      await until('a is delivered', async () => (await theirs.live()).join() === 'a')
      for (const statement of done) await theirs.sql(statement)
      await harness.put(ada, [{ id: 'b' }])
      await until('it fails', async () => (await app.show(made)).state === 'failing')
      const shown = await app.show(made)
      assert.match(shown.last_error!, says)
      assert.deepEqual([shown.dead_letters, shown.changes_behind], [0, 1])
      await theirs.sql('set default_transaction_read_only = off')
      for (const statement of undone) await theirs.sql(statement)
      await until('both are delivered', async () => {
        harness.pass(2000)
        return (await theirs.live()).join() === 'a,b'
      })
      await until('it is active', async () => (await app.show(made)).state === 'active')
    })

  test('P13 no free connections: the destination fails with the reason, and everything is delivered when one is free', async () => {
    const role = `few_${randomBytes(6).toString('hex')}`
    const theirOwn = new URL(theirs.url)
    theirOwn.username = role
    theirOwn.password = 'theirs'
    await theirs.sql(`create role ${role} login password 'theirs'`)
    await theirs.sql(`grant create, usage on schema public to ${role}`)
    try {
      const made = await app.add({ kind: 'postgres', url: theirOwn.href })
      await harness.put(ada, [{ id: 'a' }])
      await until('a is delivered', async () => (await theirs.live()).join() === 'a')
      await theirs.sql(`alter role ${role} connection limit 0`)
      await theirs.sql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
      await harness.put(ada, [{ id: 'b' }])
      await until('it says why', async () => (await app.show(made)).last_error?.startsWith('53300 ') === true)
      assert.equal((await app.show(made)).dead_letters, 0)
      await theirs.sql(`alter role ${role} connection limit 1`)
      await until('both are delivered', async () => {
        harness.pass(2000)
        return (await theirs.live()).join() === 'a,b'
      })
      await until('it is active', async () => (await app.show(made)).state === 'active')
      await app.ask('DELETE', `/push/${made.id}`)
    } finally {
      await theirs.sql(`alter role ${role} connection limit 0`)
      await theirs.sql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`)
      await theirs.sql(`drop owned by ${role}`)
      await theirs.sql(`drop role ${role}`)
    }
  })

  test('P11 added columns, indexes and views and widened types do not disturb delivery', async () => {
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await harness.put(ada, [{ id: 'a' }])
    await until('a is delivered', async () => (await theirs.live()).join() === 'a')
    await theirs.sql(`alter table tributary_items add column note text default 'x', add column length integer`)
    await theirs.sql('create index theirs on tributary_items (author)')
    await theirs.sql(
      'create view mine as select i.*, p.title from tributary_items i join tributary_photos p using (profile_id, id)',
    )
    await theirs.sql('alter table tributary_participants alter position type bigint')
    await harness.put(ada, [{ id: 'b', participants: ['x'] }])
    await until('b is delivered', async () => (await theirs.live()).join() === 'a,b')
    assert.deepEqual(await theirs.sql(`select note from tributary_items where native_id = 'b'`), [{ note: 'x' }])
    assert.equal((await app.show(made)).state, 'active')
  })
})
