import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { newShardId, shardIn } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { migrate } from '#store/migrate.ts'
import { type CursorLeaseRequest, cursorTaker } from '#store/push/take-cursor.ts'
import { findDueGroups, leaseDueProfiles, returnLeases } from '#store/sync/due-profiles.ts'
import { insertSubscriptions, leaseSubscriptions } from '#store/sync/hook-subscriptions.ts'
import { scheduleProfile } from '#store/sync/schedule.ts'
import { watchStatements } from '../harness/database/statements.ts'
import { type Opened, openPrepared } from './opened.ts'

const NOW = 1_900_000_000_000
const APP = 'app_leases'
const SERVICE = 'service'

/** As several processes plan and deliver at once. Runs on whole and on divided tables, which have other statements. */
suite('many who lease at once', () => {
  let opened: Opened
  let pools: Database[]
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, NOW)
    pools = [opened.database, ...Array.from({ length: 3 }, () => opened.another())]
  })
  after(() => opened.close())

  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    opened.database.rows<Row>({ name: '', text }, values)
  beforeEach(async () => {
    for (const table of ['delivery_cursor', 'destination', 'hook_subscription', 'endpoint_sync', 'profile_sync', 'app'])
      await sql(`delete from ${table}`)
    await addApp(APP)
  })

  const addApp = (id: string) =>
    sql(`insert into app (id, name, redirect_uris, token_flow, created_at) values ($1, $1, '{}', false, 1)`, [id])

  /** Profiles that became due one after the other; every third in the same shard. */
  async function addProfiles(count: number, appId = APP): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, i) => newShardId(i % 3 === 0 ? 7 : (i * 37) % 1024, NOW))
    for (const [i, profileId] of ids.entries())
      await scheduleProfile(
        opened.database,
        { shard: shardIn(profileId), profileId, appId, service: SERVICE, readerVersion: 1 },
        [],
        NOW - count + i,
      )
    return ids
  }

  /** Calls `lease` on all pools, several times at once, each until it gets nothing; fails when somebody gets nothing for ever. */
  async function drain(lease: (database: Database, n: number) => Promise<string[]>): Promise<string[]> {
    const taken: string[] = []
    let calls = 0
    const one = async (database: Database) => {
      for (;;) {
        const got = await lease(database, (calls += 1))
        if (got.length === 0) return
        taken.push(...got)
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, i) => one(pools[i % pools.length]!)))
    return taken
  }

  test('planners get every due profile once', async () => {
    const ids = await addProfiles(150)
    const group = [{ appId: APP, service: SERVICE, most: 9 }]
    const lease = async (database: Database) =>
      (await leaseDueProfiles(database, group, NOW, NOW + 60_000)).map(({ profileId }) => profileId)
    assert.deepEqual((await drain(lease)).sort(), ids.sort())
    assert.deepEqual(await lease(pools[0]!), [])
  })

  test('a profile that is locked delays no planner', async () => {
    const [first = '', ...others] = await addProfiles(6)
    const group = [{ appId: APP, service: SERVICE, most: 20 }]
    await opened.another().transaction(async (tx) => {
      const text = 'select 1 from profile_sync where shard = $1 and profile_id = $2 for update'
      await tx.rows({ name: '', text }, [shardIn(first), first])
      const leased = await leaseDueProfiles(pools[0]!, group, NOW, NOW + 60_000)
      assert.deepEqual(leased.map(({ profileId }) => profileId).sort(), others.sort())
    })
    const rest = await leaseDueProfiles(pools[1]!, group, NOW, NOW + 60_000)
    assert.deepEqual(
      rest.map(({ profileId }) => profileId),
      [first],
    )
  })

  test('unused leases end, and only these', async () => {
    await addProfiles(5)
    const group = [{ appId: APP, service: SERVICE, most: 20 }]
    const leased = await leaseDueProfiles(pools[0]!, group, NOW, NOW + 60_000)
    const [used, ...unused] = leased
    await sql('update profile_sync set next_run_at = $1 where profile_id = $2', [NOW + 1, used!.profileId])
    await returnLeases(pools[1]!, leased, NOW + 60_000, NOW - 1)
    const again = await leaseDueProfiles(pools[2]!, group, NOW, NOW + 60_000)
    assert.deepEqual(again.map(({ profileId }) => profileId).sort(), unused.map(({ profileId }) => profileId).sort())
  })

  test('groups are found while they have due profiles, also beside a large backlog of others', async () => {
    const database = opened.another()
    const groups = async (now = NOW) =>
      (await findDueGroups(database, now, ['other', SERVICE])).map((each) => each.appId)
    assert.deepEqual(await groups(), [])
    await addApp('app_busy')
    await addApp('app_leaving')
    await sql(`update app set deleting_at = 1 where id = 'app_leaving'`)
    await addProfiles(120, 'app_busy')
    await addProfiles(1, 'app_leaving')
    assert.deepEqual(await groups(), ['app_busy'])
    await addProfiles(3)
    assert.deepEqual((await groups()).sort(), ['app_busy', APP])
    const lease = (appId: string, most: number) =>
      leaseDueProfiles(database, [{ appId, service: SERVICE, most }], NOW, NOW + 60_000)
    assert.equal((await lease(APP, 5)).length, 3)
    assert.deepEqual(await groups(), ['app_busy'])
    assert.equal((await lease('app_busy', 10)).length, 10)
    assert.deepEqual(await groups(), ['app_busy'])
    for (const most of [100, 100]) await lease('app_busy', most)
    assert.deepEqual(await groups(), [])
    assert.deepEqual((await groups(NOW + 60_000)).sort(), ['app_busy', APP], 'leases that end are due again')
  })

  test('a backlog is not read again by every planning of a sharded server', async (t) => {
    const database = opened.another()
    if (!(await isSharded(database))) return t.skip('tables are not divided')
    await addProfiles(30)
    const asked: unknown[] = []
    const stop = watchStatements(database, ({ name }, values) => {
      if (name === 'sync-due-among') asked.push(values.flat().includes(APP))
      return undefined
    })
    for (let i = 0; i < 3; i += 1) await findDueGroups(database, NOW, [SERVICE])
    stop()
    assert.deepEqual(asked, [true], 'looked at once; it waits for its rate limit then')
  })

  for (const some of [false, true])
    test(`runs get every due cursor once, ${some ? 'several at a time' : 'one at a time'}`, async () => {
      const ids = await addProfiles(60)
      await sql(
        `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, wants_events, state, fails,
         next_attempt_at, created_at, updated_at)
       values ('dst_leases', $1, 'd', 'webhook', '', '{}', 'on_change', '{}', false, 'active', 0, 0, 0, 5)`,
        [APP],
      )
      const text = `insert into delivery_cursor (shard, profile_id, destination_id, backfill_until, due_at, scheduled, seq,
        written, generation, revision, acked_revision, epoch, erase, dead, redrive, fails, rows)
      values ($1, $2, 'dst_leases', 0, $3, false, 0, 0, 0, 1, 0, 0, false, false, false, 0, 0)`
      for (const [i, id] of ids.entries()) await sql(text, [shardIn(id), id, NOW - i])
      const request = (n: number): CursorLeaseRequest => ({
        destinationId: 'dst_leases',
        updatedAt: 5,
        nowMs: NOW,
        leaseUntilMs: NOW + 30_000,
        token: `token-${n}`,
        onlyErasures: false,
        newestFirst: n % 2 === 0,
        some,
      })
      assert.deepEqual(await cursorTaker(pools[0]!)({ ...request(0), updatedAt: 4 }), [], 'the destination was changed')
      assert.deepEqual(await cursorTaker(pools[0]!)({ ...request(0), onlyErasures: true }), [])
      const takers = new Map(pools.map((pool) => [pool, cursorTaker(pool)]))
      const taken = await drain(async (database, n) => {
        const cursors = await takers.get(database)!(request(n))
        assert.ok(some || cursors.length <= 1)
        return cursors.map(({ profileId }) => profileId)
      })
      assert.deepEqual(taken.sort(), ids.sort())
      const rows = await sql<{ tokens: number; epochs: number }>(
        'select count(distinct lease_token)::int as tokens, sum(epoch)::int as epochs from delivery_cursor',
      )
      assert.equal(rows[0]!.epochs, 60)
      if (some) assert.ok(rows[0]!.tokens < 60)
      else assert.equal(rows[0]!.tokens, 60)
    })

  test('workers get every due subscription once', async () => {
    const ids = await addProfiles(20)
    for (const profileId of ids) {
      const owner = { shard: shardIn(profileId), appId: APP, service: SERVICE, profileId, person: 'ada' }
      await insertSubscriptions(opened.database, owner, ['news', 'mail'], NOW)
    }
    const taken = await drain(async (database, n) => {
      const lease = { token: `token-${n}`, untilMs: NOW + 60_000, nowMs: NOW }
      return (await leaseSubscriptions(database, lease, 7)).map(({ profileId, name }) => `${profileId} ${name}`)
    })
    assert.deepEqual(taken.sort(), ids.flatMap((id) => [`${id} mail`, `${id} news`]).sort())
  })

  test('a subscription of a whole app is stored once, and not when the app is being deleted', async () => {
    const owner = { shard: 7, appId: APP, service: SERVICE, profileId: '', person: '' }
    const insert = (database: Database) =>
      database.transaction((tx) => insertSubscriptions(tx, owner, ['news', 'mail'], NOW))
    const stored = () => sql<{ name: string }>('select name from hook_subscription order by name')
    await sql('update app set deleting_at = $1', [NOW])
    await insert(opened.database)
    assert.deepEqual(await stored(), [])
    await sql('update app set deleting_at = null')
    await Promise.all(pools.map(insert))
    assert.deepEqual(await stored(), [{ name: 'mail' }, { name: 'news' }])
    await sql('delete from hook_subscription')
    await sql('delete from app')
    await insert(opened.database)
    assert.deepEqual(await stored(), [])
  })
})
