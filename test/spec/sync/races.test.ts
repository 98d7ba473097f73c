import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { requestSync, resetSync } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { eraseProfileItems } from '#store/items/items.ts'
import { leaseDueProfiles } from '#store/sync/due-profiles.ts'
import { removeEndpoints } from '#store/sync/endpoints.ts'
import { removeSchedule } from '#store/sync/schedule.ts'
import { ACTIVITY } from '../../harness/database/cluster.ts'
import { until } from '../../harness/until.ts'
import { type Fixture, keyOf, type Note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'
import { gate } from './scripted-service.ts'

suite('while a sync runs', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  /** A run that waits for its second page until the test releases it. */
  async function waitingRun(name: string, list: () => Note[] = () => someNotes(25)) {
    const reached = gate()
    const release = gate()
    let holds = true
    const connector = await fixture.use(name, { list: notes(`/${name}`, { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on(`/${name}`, async (request) => {
      const response = paged(list, 10)(request)
      if (holds && request.query['page'] === '2') {
        holds = false
        reached.open()
        await release.opened
      }
      return response
    })
    const profile = await fixture.connect(connector)
    const running = fixture.run(profile)
    await reached.opened
    // The first page is written while the second is fetched.
    await until('the first page is stored', async () => (await fixture.stored(profile)).size >= 10)
    return {
      profile,
      connector,
      /** Releases the run and waits for its end. */
      finish: async () => {
        release.open()
        await running
      },
    }
  }

  test('a sync that is requested while a run ends is not lost', async () => {
    const connector = await fixture.use('asked', { list: notes('/asked', { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on(
      '/asked',
      paged(() => someNotes(5), 10),
    )
    const profile = await fixture.connect(connector)
    const { database } = fixture.deps
    const [reached, commit] = [gate(), gate()]
    const slow: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          const result = await work(tx)
          reached.open()
          await commit.opened
          return result
        }),
    }
    let asking: Promise<void> | undefined
    const isBlocked = async () =>
      (await fixture.sql(`select 1 from ${ACTIVITY} where wait_event_type = 'Lock' and datname = current_database()`))
        .length > 0
    /** Requests a sync before the last statements of the run, and commits once these wait for it or are done. */
    const meanwhile = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
      if (asking !== undefined || !['sync-lock', 'sync-finish'].includes(name)) return run()
      asking = requestSync({ ...fixture.deps, database: slow }, profile)
      await reached.opened
      const done = new AbortController()
      const ending = run().finally(() => done.abort())
      await until('they wait or are done', async () => done.signal.aborted || (await isBlocked()))
      commit.open()
      return ending
    }
    const watched = (queries: Queries): Queries => ({
      rows: (statement, values) => meanwhile(statement.name, () => queries.rows(statement, values)),
      count: (statement, values) => meanwhile(statement.name, () => queries.count(statement, values)),
    })
    const deps = {
      ...fixture.deps,
      database: {
        ...database,
        ...watched(database),
        transaction: <Result>(work: (tx: Queries) => Promise<Result>) =>
          database.transaction((tx) => work(watched(tx))),
      },
    }
    await runProfile(deps, keyOf(profile), { signal: new AbortController().signal, alone: false, step: () => {} })
    await asking
    const [row] = await fixture.sql<{ next_run_at: string }>(
      'select next_run_at from profile_sync where profile_id = $1',
      [profile.id],
    )
    assert.ok(asking !== undefined)
    assert.ok(Number(row!.next_run_at) <= fixture.deps.clock.now(), 'it is due')
  })

  test('an erased profile stays erased: the run writes nothing afterwards', async () => {
    const { profile, finish } = await waitingRun('erased')
    assert.equal((await fixture.stored(profile)).size, 10)
    await fixture.deps.database.transaction(async (tx) => {
      await removeSchedule(tx, keyOf(profile))
      await removeEndpoints(tx, keyOf(profile))
      await eraseProfileItems(tx, keyOf(profile))
    })
    await finish()
    assert.equal((await fixture.stored(profile)).size, 0)
    assert.deepEqual(await fixture.sql('select 1 from endpoint_sync where profile_id = $1', [profile.id]), [])
    assert.deepEqual(await fixture.sql('select 1 from profile_sync where profile_id = $1', [profile.id]), [])
  })

  test('a run that lost its lease writes nothing, whatever it still fetches, and the new run is complete', async () => {
    const { profile, finish } = await waitingRun('lease-lost')
    // As another process does after the lease of the first has expired.
    await fixture.run(profile)
    const whole = await fixture.stored(profile)
    assert.equal(whole.size, 25)
    const times = await fixture.sql('select * from endpoint_sync where profile_id = $1', [profile.id])
    await finish()
    assert.deepEqual(await fixture.stored(profile), whole)
    assert.deepEqual(await fixture.sql('select * from endpoint_sync where profile_id = $1', [profile.id]), times)
    assert.ok(fixture.lines.some((line) => line.includes('a sync lost its lease and wrote nothing')))
  })

  test('a requested sync causes another run, because this one may have passed new records', async () => {
    let list = someNotes(25)
    const { profile, finish } = await waitingRun('asked', () => list)
    list = [{ id: 'new', at: 1_800_000_000_000 }, ...list]
    await requestSync(fixture.deps, profile)
    await finish()
    assert.ok((await fixture.progress(profile, 'list')).next_run <= fixture.clock.now())
    const [row] = await fixture.sql<{ next_run_at: number }>(
      'select next_run_at from profile_sync where profile_id = $1',
      [profile.id],
    )
    assert.ok(row!.next_run_at <= fixture.clock.now())
    await fixture.run(profile)
    assert.ok((await fixture.stored(profile)).has('new'))
    assert.ok((await fixture.progress(profile, 'list')).next_run > fixture.clock.now())
  })

  test('a reset is not lost: the running sync ends without an error, and everything is read again', async () => {
    const { profile, finish } = await waitingRun('resets')
    await resetSync(fixture.deps, profile)
    await finish()
    assert.equal((await fixture.stored(profile)).size, 10)
    await fixture.run(profile)
    const stored = await fixture.stored(profile)
    assert.equal(stored.size, 25)
    assert.ok([...stored.values()].every(({ seq }) => seq > 10))
    const [row] = await fixture.sql<{ epoch: number }>('select epoch from endpoint_sync where profile_id = $1', [
      profile.id,
    ])
    assert.equal(row!.epoch, 1)
  })

  test('signing in again revokes its lease, and the sync continues with the new credential where it was', async () => {
    const { profile, connector, finish } = await waitingRun('again')
    await fixture.connect(connector, 'ada', { token: 'newer' })
    await finish()
    assert.equal((await fixture.stored(profile)).size, 10)
    const asked = fixture.service.requestsTo('/again').length
    await fixture.run(profile)
    const rest = fixture.service.requestsTo('/again').slice(asked)
    assert.deepEqual(
      rest.map(({ query }) => query['page']),
      ['2', '3', '4'],
    )
    assert.ok(rest.every(({ headers }) => headers.authorization === 'Bearer newer'))
    assert.equal((await fixture.stored(profile)).size, 25)
  })

  test('leasing reads due rows, not the whole table', async () => {
    await fixture.use('many', { list: notes('/many') })
    await fixture.sql(
      `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq)
       select n % 1024, 'many' || n, $1, 'many', case when n % 10 = 0 then n else 8e15::bigint end, 0 from generate_series(1, 60000) n`,
      [fixture.appId],
    )
    await fixture.sql('analyze profile_sync')
    const now = fixture.clock.now()
    for (let i = 0; i < 8; i += 1)
      await fixture.deps.database.transaction(async (tx) => {
        const group = [{ appId: fixture.appId, service: 'many', most: 100 }]
        assert.equal((await leaseDueProfiles(tx, group, now, now + 60_000)).length, 100)
        const text = `select seq_tup_read as rows from pg_stat_xact_user_tables where relname = 'profile_sync'`
        assert.deepEqual(await tx.rows({ name: '', text }), [{ rows: 0 }])
      })
    await fixture.sql(`delete from profile_sync where service = 'many'`)
  })

  test('R08 of two concurrent planners, one leases each due profile', async () => {
    await fixture.use('planned', { list: notes('/planned') })
    await fixture.sql(
      `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq) select 1, 'plan' || n, $1, 'planned', n, 0 from generate_series(1, 300) n`,
      [fixture.appId],
    )
    const group = [{ appId: fixture.appId, service: 'planned', most: 50 }]
    const now = fixture.clock.now()
    const pools = [fixture.deps.database, fixture.anotherPool(), fixture.anotherPool()]
    const ids: string[] = []
    const plan = async (pool: (typeof pools)[number]) => {
      for (;;) {
        const leased = await leaseDueProfiles(pool, group, now, now + 60_000)
        if (leased.length === 0) return
        ids.push(...leased.map(({ profileId }) => profileId))
      }
    }
    await Promise.all(Array.from({ length: 12 }, (_, i) => plan(pools[i % 3]!)))
    assert.equal(ids.length, new Set(ids).size)
    assert.equal(ids.length, 300)
    assert.deepEqual(await leaseDueProfiles(pools[0]!, group, now, now + 60_000), [])
    assert.equal((await leaseDueProfiles(pools[0]!, group, now + 60_001, now + 120_000)).length, 50)
  })
})
