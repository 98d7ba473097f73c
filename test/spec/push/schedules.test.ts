import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import type { Person } from '../../harness/person.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

suite('schedules', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let ada: Person
  before(async () => {
    harness = await startPushHarness()
  })
  after(() => harness.stop())
  beforeEach(async () => {
    theirs = await clientDatabase()
    app = await harness.newTenant()
    ada = await app.newPerson()
  })
  afterEach(() => theirs.drop())

  const has = (ids: string) => until(`there is ${ids}`, async () => (await theirs.live()).join() === ids)

  const staysAt = async (ids: string) => {
    await harness.idle()
    assert.equal((await theirs.live()).join(), ids)
  }

  /** The next time after now at which it is this hour in UTC. */
  const passTo = (hour: number) => {
    const now = new Date(harness.clock.now())
    const next = new Date(now)
    next.setUTCHours(hour, 0, 5, 0)
    harness.pass((next.getTime() - now.getTime() + 24 * HOUR) % (24 * HOUR))
  }

  test('P15 every 15m: changes wait for the tick, and missed ticks are coalesced into one run', async () => {
    await harness.put(ada, [{ id: 'a' }])
    const made = await app.add({ kind: 'postgres', url: theirs.url, schedule: 'every 15m' })
    await staysAt('')
    harness.pass(16 * MINUTE)
    await has('a')
    await harness.put(ada, [{ id: 'b' }])
    await staysAt('a')
    harness.pass(20 * HOUR)
    await has('a,b')
    await app.caughtUp(made)
    const next = (await app.show(made))['next_run_at'] as number
    assert.ok(
      next > harness.clock.now() && next < harness.clock.now() + 17 * MINUTE,
      'missed ticks are not made up for',
    )
    const tried = (await app.ask('GET', `/push/${made.id}/deliveries`)).body as unknown as unknown[]
    assert.equal(tried.length, 2)
  })

  test('cron with a time zone: delivers at that hour and not before', async () => {
    passTo(3)
    await harness.put(ada, [{ id: 'a' }])
    // 06:00 in Tokyo is 21:00 in UTC, all year.
    const made = await app.add({ kind: 'postgres', url: theirs.url, schedule: '0 6 * * * Asia/Tokyo' })
    const next = new Date((await app.show(made))['next_run_at'] as number)
    assert.deepEqual([next.getUTCHours(), next.getUTCMinutes()], [21, 0])
    harness.pass(17 * HOUR)
    await staysAt('')
    passTo(21)
    await has('a')
    await app.caughtUp(made)
    await harness.put(ada, [{ id: 'b' }])
    harness.pass(12 * HOUR)
    await staysAt('a')
    passTo(21)
    await has('a,b')
  })

  test('manual: delivers only when it is run', async () => {
    await harness.put(ada, [{ id: 'a' }])
    const made = await app.add({ kind: 'postgres', url: theirs.url, schedule: 'manual' })
    harness.pass(300 * 24 * HOUR)
    await staysAt('')
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/run`)).body, { profiles: 1 })
    await has('a')
    await app.caughtUp(made)
    assert.deepEqual((await app.ask('POST', `/push/${made.id}/run`)).body, { profiles: 0 })
    const ben = await app.newPerson()
    await harness.put(ben, [{ id: 'b' }])
    await staysAt('a')
    await app.ask('PATCH', `/push/${made.id}`, { schedule: 'on_change' })
    await has('a,b')
    await harness.put(ben, [{ id: 'c' }])
    await has('a,b,c')
  })

  test('quiet hours delay changes, but not erasures', async () => {
    passTo(12)
    const ben = await app.newPerson()
    await harness.put(ben, [{ id: 'b' }])
    const made = await app.add({
      kind: 'postgres',
      url: theirs.url,
      options: { quiet_hours: { from: '22:00', to: '06:30', zone: 'UTC' } },
    })
    await harness.put(ada, [{ id: 'a' }])
    await has('a,b')
    passTo(23)
    await harness.put(ada, [{ id: 'c' }])
    await staysAt('a,b')
    passTo(4)
    await staysAt('a,b')
    const gone = await fetch(`${harness.tributary.url}/profiles`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ben.token}` },
    })
    assert.equal(gone.status, 200)
    await gone.body?.cancel()
    await has('a')
    passTo(7)
    await has('a,c')
    await app.caughtUp(made)
  })
})
