import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { Client } from 'pg'
import { checkCluster, planCluster } from '#flows/operations/cluster.ts'
import { SetupError } from '#platform/errors.ts'
import { PLACEMENTS } from '#store/cluster/placement.ts'
import { placementSql } from '#store/cluster/placement-sql.ts'
import { readCluster } from '#store/cluster/read-cluster.ts'
import { migrate, planMigrations } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { CLUSTER_NODES, onNode, urlOf } from '../harness/database/cluster.ts'
import { until } from '../harness/until.ts'
import { migrateInProcess } from './migrate-in-process.ts'
import { type Opened, openEmptyCluster } from './opened.ts'

const skip = CLUSTER_NODES.length === 0 && 'needs a sharded server: npm run test:citus'
const MIGRATIONS = join(import.meta.dirname, '../../migrations')
const placedTables = [...PLACEMENTS].filter(([, placement]) => placement !== 'local').length

let opened: Opened
let folder: string

suite('a sharded server', { skip }, () => {
  beforeEach(async () => {
    opened = await openEmptyCluster()
    folder = mkdtempSync(join(tmpdir(), 'tributary-cluster-'))
  })
  afterEach(async () => {
    await opened.close()
    rmSync(folder, { recursive: true })
  })

  const plan = () => planCluster(opened)
  const problems = async () => (await checkCluster(opened)).problems.map(({ problem }) => problem)
  const run = (...statements: string[]) =>
    onNode(opened.url, async (client) => {
      for (const text of statements) await client.query(text)
    })
  const refuses = (pattern: RegExp) =>
    assert.rejects(
      plan,
      (error) => error instanceof SetupError && error.code === 'cluster_refused' && pattern.test(error.message),
    )
  /** What the statement returns on every node, the coordinator first. */
  const everywhere = (text: string) =>
    Promise.all(
      CLUSTER_NODES.map((node) =>
        onNode(urlOf(node, new URL(opened.url).pathname.slice(1)), async (client) => (await client.query(text)).rows),
      ),
    )
  /** The migrations up to this one, and further ones of the test. */
  const migrationsUpTo = (last: string, more: Record<string, string> = {}) => {
    for (const name of readdirSync(MIGRATIONS).filter((each) => each <= `${last}~`))
      symlinkSync(join(MIGRATIONS, name), join(folder, name))
    for (const [name, sql] of Object.entries(more)) writeFileSync(join(folder, name), sql)
    return readMigrations(folder)
  }
  const distributeOldSchema = async () => {
    await migrate(opened.database, 1, migrationsUpTo('0001'))
    await run(...placementSql((await readCluster(opened.database))!.tables))
  }

  test('an empty database is distributed once, and what a stopped run left is continued', async () => {
    await refuses(/^The tables cannot be distributed\.\n {2}\d+ migrations are pending$/)
    assert.equal((await problems()).length, 1)
    await migrate(opened.database, 1)
    const whole = await plan()
    assert.equal(whole.length, placedTables)
    assert.equal((await problems()).length, placedTables)
    for (const done of [3, 5, 20]) {
      const rest = await plan()
      await run(...rest.slice(0, done))
      assert.deepEqual(await plan(), rest.slice(done))
    }
    await run(...(await plan()))
    assert.deepEqual(await plan(), [])
    const { nodes, tables, problems: none } = await checkCluster(opened)
    assert.deepEqual(none, [])
    assert.equal(nodes.length, CLUSTER_NODES.length)
    assert.ok(tables.every(({ state }) => state === 'placed'))
    // Rows of one shard are on one node, whatever their table.
    const groups = await opened.database.rows({
      name: '',
      text: `select distinct colocationid from pg_dist_partition where partmethod = 'h' and column_to_column_name(logicalrelid, partkey) = 'shard'`,
    })
    assert.equal(groups.length, 1)
  })

  test('the number of physical shards is what the plan was asked for', async () => {
    await migrate(opened.database, 1)
    await run(...(await planCluster(opened, { shardCount: 6 })))
    const counted = (await readCluster(opened.database))!.tables.flatMap(({ shards }) =>
      shards === undefined ? [] : [shards],
    )
    assert.deepEqual([...new Set(counted)], [6])
  })

  test('a filled database keeps every row, and the copies on the coordinator are removed', async () => {
    await migrate(opened.database, 1)
    await run(
      `insert into app (id, name, redirect_uris, token_flow, created_at) select 'app' || n, 'n', '{}', true, n from generate_series(1, 5) n`,
      `insert into app_secret (app_id, id, hash, created_at) select 'app' || n, 's' || n, 'x', n from generate_series(1, 5) n`,
      `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, state, fails, next_attempt_at, created_at, updated_at)
       select 'd' || n, 'app' || n, 'n', 'webhook', 'x', '{}', 's', '{}', 'ok', 0, 0, 0, 0 from generate_series(1, 5) n`,
      `insert into push_event (destination_id, id, type, at, data) select 'd' || n % 5 + 1, 'e' || n, 't', n, '{}' from generate_series(1, 50) n`,
      `insert into account (shard, id, app_id, shards, created_at)
       select n % 1024, 'a' || n, 'app1', array[n % 1024], n from generate_series(1, 3000) n`,
      `insert into rate_limit (bucket, tokens, refilled_at, blocked_until, granted) select 'b' || n, n, n, 0, 0 from generate_series(1, 200) n`,
    )
    const sums = async () => {
      const sum = (table: string) =>
        `select '${table}' as table, count(*)::int as n, sum(hashtext(t::text)) as sum from ${table} t`
      const found = []
      for (const table of ['app', 'app_secret', 'destination', 'push_event', 'account', 'rate_limit'])
        found.push(...(await opened.database.rows({ name: '', text: sum(table) })))
      return found
    }
    const before = await sums()
    const statements = await plan()
    assert.ok(statements.includes(`select truncate_local_data_after_distributing_table('account')`))
    // Stopped between copying and removing: the rows are read once, and the rest of the plan removes the copies.
    const stop = statements.findIndex((text) =>
      text.includes(`truncate_local_data_after_distributing_table('account')`),
    )
    await run(...statements.slice(0, stop))
    assert.deepEqual(await sums(), before)
    assert.equal((await checkCluster(opened)).tables.find(({ table }) => table === 'account')?.state, 'leftover')
    // Foreign keys made push_event a table that the nodes know, so its rows have left the coordinator's storage already.
    const moved = `select truncate_local_data_after_distributing_table('push_event')`
    const rest = statements.slice(stop)
    assert.deepEqual(
      await plan(),
      rest.filter((text) => text !== moved),
    )
    // The rest of the first plan, with the statement that is not needed any more.
    assert.ok(rest.includes(moved))
    await run(...rest)
    assert.deepEqual(await sums(), before)
    assert.deepEqual(await plan(), [])
    assert.deepEqual(await problems(), [])
    const perNode = await opened.database.rows<{ rows: number }>({
      name: '',
      text: `select sum(result::int)::int as rows from run_command_on_shards('account', 'select count(*) from %s') r
             join citus_shards s on s.shardid = r.shardid group by s.nodename, s.nodeport`,
    })
    assert.ok(perNode.length > 1 && perNode.every(({ rows }) => rows > 500), JSON.stringify(perNode))
  })

  test('later migrations change every shard, place what they create, and build indexes on every node', async () => {
    await distributeOldSchema()
    await refuses(/migrations are pending/)
    const applied = await migrate(opened.database, 2)
    assert.equal(applied.length, readMigrations().length - 1)
    assert.deepEqual(await plan(), [])
    assert.deepEqual(await problems(), [])
    const wrong = await opened.database.rows({
      name: '',
      text: `select * from run_command_on_shards('profile', $$select count(*) filter (where indisvalid) from pg_index where indrelid = '%s'::regclass$$) where result <> '${await countIndexes('profile')}'`,
    })
    assert.deepEqual(wrong, [])
  })

  const countIndexes = async (table: string) => {
    const [row] = await opened.database.rows<{ n: number }>({
      name: '',
      text: `select count(*)::int as n from pg_index where indrelid = '${table}'::regclass`,
    })
    return row!.n
  }

  test('a statement that only a table of the coordinator accepts works on a new one, and not on one that was placed', async () => {
    await migrate(opened.database, 1)
    await run(...(await plan()))
    const last = readMigrations().at(-1)!.name
    const number = String(Number(last.slice(0, 4)) + 1).padStart(4, '0')
    const failing = migrationsUpTo(last, {
      [`${number}-storage.sql`]: 'alter table item alter column record set storage external;',
    })
    await assert.rejects(migrate(opened.database, 2, failing), (error) => {
      assert.ok(error instanceof SetupError && error.code === 'migration_failed')
      assert.match(error.help, /a mistake of the release.*start the release before again/s)
      return error.message.includes('set storage external')
    })
    assert.deepEqual((await planMigrations(opened.database)).pending, [])
    const storages = `select distinct attstorage from pg_attribute where attrelid = '%s'::regclass and attname = 'content'`
    const found = await opened.database.rows<{ result: string }>({
      name: '',
      text: `select distinct result from run_command_on_shards('upload_part', $$${storages}$$)`,
    })
    assert.deepEqual(found, [{ result: 'e' }])
  })

  test('a feed and its entries that were placed apart are joined without moving a row', async () => {
    await migrate(opened.database, 1)
    const apart = (await plan()).map((text) => text.replace(`colocate_with => 'feed')`, `colocate_with => 'none')`))
    await run(...apart)
    const join = `select update_distributed_table_colocation('feed_entry', colocate_with => 'feed')`
    assert.deepEqual(await plan(), [join])
    assert.match((await problems()).join(), /^the table feed_entry may be moved to other nodes/)
    await run(join)
    assert.deepEqual(await plan(), [])
    assert.deepEqual(await problems(), [])
  })

  test('a migration that fails in the middle changes no node', async () => {
    await migrate(opened.database, 1)
    await run(...(await plan()))
    const last = readMigrations().at(-1)!.name
    const number = String(Number(last.slice(0, 4)) + 1).padStart(4, '0')
    const migrations = migrationsUpTo(last, {
      [`${number}-broken.sql`]:
        'alter table account add column extra int; alter table app add column extra int; update account set extra = 1; alter table missing add x int;',
    })
    await assert.rejects(migrate(opened.database, 2, migrations), /missing/)
    const columns = `select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid where a.attname = 'extra'`
    assert.deepEqual((await everywhere(columns)).flat(), [])
    const fixed = join(folder, `${number}-broken.sql`)
    writeFileSync(
      fixed,
      'alter table account add column extra int; alter table app add column extra int; update account set extra = 1;',
    )
    assert.deepEqual(await migrate(opened.database, 2, readMigrations(folder)), [`${number}-broken.sql`])
    assert.ok((await everywhere(columns)).every((rows) => rows.length > 0))
  })

  test('an index whose process and session were killed half-way is built again', async () => {
    await migrate(opened.database, 1)
    await run(...(await plan()))
    const last = readMigrations().at(-1)!.name
    const number = String(Number(last.slice(0, 4)) + 1).padStart(4, '0')
    migrationsUpTo(last, {
      [`${number}-index.sql`]:
        '-- no-transaction\ncreate index concurrently account_created on account (created_at, shard);',
    })
    const holder = new Client({ connectionString: opened.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query(`insert into account (shard, id, app_id, shards, created_at) values (1, 'x', 'a', '{1}', 1)`)
    const child = migrateInProcess(opened.url, folder)
    const builders = `select pid::int as pid from pg_stat_activity where datname = current_database()
      and query like 'create index concurrently account_created%' and state = 'active'`
    const builder = await until('the index is being built', async () => {
      const [row] = await opened.database.rows<{ pid: number }>({ name: '', text: builders })
      return row
    })
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await run(`select pg_terminate_backend(${builder.pid}::int)`)
    await until(
      'the build has ended',
      async () =>
        (
          await everywhere(`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and state = 'active' and query ilike '%create%index concurrently%account_created%'`)
        ).flat().length === 0,
    )
    await holder.query('commit')
    await holder.end()
    assert.deepEqual(await migrate(opened.database, 2, readMigrations(folder)), [`${number}-index.sql`])
    const invalid = await opened.database.rows({
      name: '',
      text: `select * from run_command_on_shards('account', $$select count(*) from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = '%s'::regclass and i.indisvalid and c.relname like 'account_created%%'$$) where result <> '1'`,
    })
    assert.deepEqual(invalid, [])
  })

  test('what the plan cannot do is refused, with the reason', async () => {
    await migrate(opened.database, 1)
    await run('create table other (id int primary key)')
    await refuses(/the table other does not belong to Tributary/)
    await run('drop table other', `select create_reference_table('consent')`)
    await refuses(/consent is misplaced: it is a reference table, not distributed by shard/)
    await run(
      `select undistribute_table('consent')`,
      `select create_distributed_table('account', 'shard', colocate_with => 'none')`,
      `select create_distributed_table('consent', 'shard', colocate_with => 'none')`,
    )
    await refuses(/consent is misplaced: it is not colocated with account/)
    await run(`select undistribute_table('consent')`, 'drop table pending')
    await refuses(/the table pending is missing/)
    assert.ok((await problems()).includes('the table pending is missing'))
    const worker = opened.another({ url: urlOf(CLUSTER_NODES[1]!, new URL(opened.url).pathname.slice(1)) })
    await assert.rejects(planCluster({ database: worker }), /this node is a worker/)
  })
})
