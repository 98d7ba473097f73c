import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { tributary, tributaryProcess } from '../../harness/command-line.ts'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { LOOPBACK } from '../../harness/loopback.ts'
import type { Person } from '../../harness/person.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('destinations from the command line', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const env = () => ({
    DATABASE_URL: harness.tributary.databaseUrl,
    TRIBUTARY_DATA: harness.tributary.dataDir,
    TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
  })
  const run = (...args: string[]) => tributary(['push', ...args], env())
  const json = async <Document>(...args: string[]): Promise<Document> => {
    const { code, stdout, stderr } = await run(...args, '--json')
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as Document
  }

  test('kinds lists the options of each kind', async () => {
    const { stdout: listed } = await run('kinds')
    assert.match(listed, /postgres\n +schema/)
    assert.match(listed, /deletes +soft \| hard/)
  })

  test('create, inspect, change, control and delete a destination', async () => {
    await harness.put(ada, [{ id: 'a', type: 'photos' }, { id: 'b', type: 'videos' }, { id: 'c' }])
    const { clientId } = app
    const typo = ['--name', 'Warehouse', '--kind', 'postgres', '--url', theirs.url, '--option', 'shcema=tributary']
    const refused = await run('add', clientId, ...typo)
    assert.deepEqual(
      [refused.code, refused.stderr.trim()],
      [4, 'options.shcema: Unknown option “shcema” of postgres. Known: ca, deletes, quiet_hours, schema.'],
    )
    const made = await json<Shown>(
      'add',
      clientId,
      '--name',
      'Warehouse',
      '--kind',
      'postgres',
      '--url',
      theirs.url,
      '--filter',
      '/types/photos',
      '--filter',
      '/types/videos',
      '--schedule',
      'on_change',
      '--option',
      'schema=tributary',
    )
    assert.deepEqual(
      [made.id.slice(0, 4), made['name'], made['kind'], made['filter'], made['schedule'], made.state, made['options']],
      [
        'dst_',
        'Warehouse',
        'postgres',
        ['/types/photos', '/types/videos'],
        'on_change',
        'active',
        { schema: 'tributary' },
      ],
    )
    const rows = async () =>
      (
        await theirs.sql<{ native_id: string }>(
          'select native_id from tributary.tributary_items where deleted_at is null order by 1',
        )
      )
        .map(({ native_id }) => native_id)
        .join()
    await until('the running service delivers', async () => {
      const [made] = await theirs.sql<{ there: boolean }>(
        `select to_regclass('tributary.tributary_items') is not null as there`,
      )
      return made!.there && (await rows()) === 'a,b'
    })
    const tried = await json<{ ok: boolean; matches: unknown }>('test', clientId, made.id)
    assert.deepEqual([tried.ok, tried.matches], [true, { profiles: 1, items: 2, exact: true }])
    const [listed] = await json<Shown[]>('list', clientId)
    assert.deepEqual([listed!.id, listed!.rows, listed!.dead_letters], [made.id, 2, 0])
    assert.deepEqual([listed!['lag_ms'], listed!['last_5_minutes']], [0, { rows: 2, batches: 1, failed: 0 }])
    const tries = await json<{ ok: boolean; rows: number }[]>('deliveries', clientId, made.id)
    assert.deepEqual(
      tries.map(({ ok, rows: sent }) => ({ ok, sent })),
      [{ ok: true, sent: 2 }],
    )
    // One in a process of its own, as an operator runs it.
    const paused = await tributaryProcess(['push', 'pause', clientId, made.id, '--json'], env())
    assert.deepEqual([paused.code, paused.stderr, (JSON.parse(paused.stdout) as Shown).state], [0, '', 'paused'])
    assert.equal((await json<Shown>('resume', clientId, made.id)).state, 'active')
    const changed = await json<Shown>('set', clientId, made.id, '--filter', '*', '--schedule', 'manual')
    assert.deepEqual([changed['filter'], changed['schedule']], [['*'], 'manual'])
    await until('the other filter is in force', async () => (await rows()) === 'a,b,c')
    await harness.put(ada, [{ id: 'd' }])
    await json('run', clientId, made.id)
    await until('it was run', async () => (await rows()) === 'a,b,c,d')
    await app.caughtUp(made)
    await theirs.sql(`update tributary.tributary_items set data = '{}' where native_id = 'b'`)
    const compared = await json('verify', clientId, made.id, '--repair')
    assert.deepEqual(compared, { profiles: 1, rows: 4, missing: 0, different: 1, extra: 0, repaired: 1 })
    await app.caughtUp(made)
    assert.deepEqual(await theirs.sql(`select data from tributary.tributary_items where native_id = 'b'`), [
      { data: { id: 'b', type: 'videos' } },
    ])
    assert.deepEqual(await json('replay', clientId, made.id, '--since', '2020-01-01'), { profiles: 1 })
    await json('backfill', clientId, made.id)
    assert.deepEqual(await json('dead', clientId, made.id), [])
    await json('redrive', clientId, made.id)
    assert.deepEqual(await json('delete', clientId, made.id, '--drop-tables'), { deleted: made.id })
    assert.deepEqual(await json('list', clientId), [])
    assert.deepEqual(
      await theirs.sql(`select relname from pg_class where relname like 'tributary%' and relkind = 'r'`),
      [],
    )
  })

  test('a webhook secret is shown once, and invalid input is named', async () => {
    const { clientId } = app
    const url = 'https://app.test/hook'
    const made = await json<Shown>(
      'add',
      clientId,
      '--name',
      'Hook',
      '--kind',
      'webhook',
      '--url',
      url,
      '--filter',
      '*',
    )
    assert.match(made.secret!, /^whsec_/)
    const { secret } = await json<{ secret: string }>('rotate-secret', clientId, made.id)
    assert.ok(secret.startsWith('whsec_') && secret !== made.secret)
    assert.ok(!JSON.stringify(await json('list', clientId)).includes('whsec_'))
    assert.match(
      (await run('rights', 'postgres', '--place', 'ours')).stdout,
      /create schema if not exists ours authoriz/,
    )
    assert.match((await run('rights', 'mysql')).stdout, /on tributary\.\* to/)
    for (const [args, why, code] of [
      [['add', clientId, '--name', 'X', '--kind', 'pigeon', '--url', url], /--kind/, 2],
      [
        ['add', clientId, '--name', 'X', '--kind', 'webhook', '--url', url, '--filter', '/types/x'],
        /names an unknown type/,
        4,
      ],
      [['add', 'app_nobody', '--name', 'X', '--kind', 'webhook', '--url', url], /no app app_nobody/, 4],
      [['replay', clientId, made.id, '--seq', 'x'], /--seq x/, 2],
      [['rights', 'webhook'], /postgres or mysql/, 2],
      [['rights', 'postgres', '--place', 'x; drop'], /--place/, 2],
      [['pause', clientId, 'dst_nobody'], /not found|nothing/i, 4],
    ] as const) {
      const ended = await run(...args)
      assert.match(ended.stderr, why, args.join(' '))
      assert.equal(ended.code, code, args.join(' '))
    }
  })
})
