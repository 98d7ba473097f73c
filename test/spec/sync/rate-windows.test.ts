import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createRateLimiter } from '#access/rate-limiter.ts'
import type { CallCost } from '#kit/connector/call-cost.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { type Fixture, notes, openFixture, someNotes } from './engine-fixture.ts'

const HOUR_MS = 3_600_000
const read: CallCost = { weight: 1, group: undefined, isRead: true }

suite('several windows of one limit', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const limited = (
    name: string,
    limits: NonNullable<Connector['api']['limits']>,
    endpoints = { list: notes('/list') },
  ) => fixture.use(name, endpoints, { api: { limits } })

  /** How many calls are allowed now, in a process that has just started. */
  async function taken(connector: Connector, cost = read, app = 'app', profileId?: string, server?: string) {
    const limiter = createRateLimiter({ database: fixture.deps.database, clock: fixture.clock })
    let calls = 0
    while (
      calls < 10_000 &&
      (await limiter.tryAcquire(app, connector, 'person', profileId, server, cost)).untilMs === undefined
    )
      calls += 1
    return calls
  }

  test('none is ever exceeded, also after restarts, and the slower one holds', async () => {
    const connector = await limited('two-windows', {
      app: [
        { calls: 100, perS: 3600 },
        { calls: 200, perS: 86_400 },
      ],
    })
    const calls: number[] = []
    for (let hour = 0; hour < 24; hour += 1) {
      calls.push(await taken(connector))
      fixture.clock.offsetMs += HOUR_MS
    }
    const total = calls.reduce((sum, each) => sum + each, 0)
    assert.ok(Math.max(...calls) <= 100, String(calls))
    assert.ok(total <= 200, `${total} calls in a day`)
    assert.ok(total >= 100, `only ${total} calls in a day`)
  })

  test('the day is read back from the database, and shown as what is left', async () => {
    const connector = await limited('left', {
      app: [
        { calls: 1000, perS: 60 },
        { calls: 100, perS: 86_400 },
      ],
    })
    assert.ok((await fixture.deps.rateLimiter.left('app', connector)) <= 10)
    assert.ok((await taken(connector)) <= 10)
    assert.equal(await fixture.deps.rateLimiter.left('app', connector), 0)
    assert.deepEqual(await fixture.deps.rateLimiter.capacity([{ appId: 'app', connector }]), [0])
  })

  test('reads have a window of their own, and other calls take nothing from it', async () => {
    const connector = await limited('reads', {
      app: [
        { calls: 400, perS: 3600 },
        { calls: 200, perS: 3600, reads: true },
      ],
    })
    const reads = await taken(connector)
    assert.ok(reads > 0 && reads <= 20, String(reads))
    assert.ok((await taken(connector, { ...read, isRead: false })) > 0, 'writes are still possible')
    assert.equal(await taken(connector), 0)
  })

  test('a heavy call counts as many, waits until it fits, and is possible at all', async () => {
    const heavy = notes('/heavy', { weight: 100 })
    const connector = await limited('weights', { app: { calls: 1000, perS: 3600 } }, { list: heavy })
    const search: CallCost = { ...read, weight: 100 }
    const first = await taken(connector, search)
    assert.equal(first, 1)
    fixture.clock.offsetMs += 2 * HOUR_MS
    let total = 0
    for (let minute = 0; minute < 60; minute += 5) {
      total += await taken(connector, search)
      fixture.clock.offsetMs += 300_000
    }
    assert.ok(total >= 4 && total <= 10, `${total} calls of 100 units in an hour of 1000`)
  })

  test('each group has its own window, and a block of one does not stop another', async () => {
    const connector = await limited('groups', { person: { calls: 20, perS: 3600, per: 'group' } })
    const of = (group: string) => ({ ...read, group })
    assert.equal(await taken(connector, of('users'), 'app', 'ada'), 8)
    assert.equal(await taken(connector, of('users'), 'app', 'ada'), 0)
    assert.equal(await taken(connector, of('lists'), 'app', 'ada'), 8)
    const { rateLimiter } = fixture.deps
    await rateLimiter.block('app', connector, fixture.clock.now() + HOUR_MS, 'ben', undefined, { group: 'users' })
    assert.equal(await taken(connector, of('users'), 'app', 'ben'), 0)
    assert.equal(await taken(connector, of('lists'), 'app', 'ben'), 8)
    await rateLimiter.block('app', connector, fixture.clock.now() + HOUR_MS, 'cem')
    assert.equal(await taken(connector, of('lists'), 'app', 'cem'), 0, 'a block of the person stops all groups')
  })

  test('a limit of the installation is shared by apps and counted per server', async () => {
    const connector = await limited('instances', { service: { calls: 100, perS: 3600 } })
    assert.ok((await taken(connector, read, 'a', undefined, 'one.test')) > 0)
    assert.equal(await taken(connector, read, 'b', undefined, 'one.test'), 0, 'another app, the same server')
    assert.ok((await taken(connector, read, 'b', undefined, 'two.test')) > 0, 'another server')
    const { rateLimiter } = fixture.deps
    const until = fixture.clock.now() + 60_000
    await rateLimiter.block('a', connector, until, undefined, 'three.test', 'everybody')
    assert.equal(await taken(connector, read, 'b', undefined, 'three.test'), 0)
    assert.ok((await taken(connector, read, 'a', undefined, 'four.test')) > 0)
  })
})

suite('limits of groups and in bodies, in a sync', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('a group without calls left waits, and the endpoints of other groups are read', async () => {
    const connector = await fixture.use(
      'grouped',
      { people: notes('/users/a'), more: notes('/users/b'), visits: notes('/visits/a') },
      {
        api: {
          limits: { person: { calls: 500, perS: 3600, per: 'group' } },
          group: (path) => path.split('/')[1],
          rate: rateFrom({ remaining: 'left', reset: 'reset', of: 'group' }),
        },
      },
    )
    let left = '0'
    const reset = () => String(Math.ceil(fixture.clock.now() / 1000) + 600)
    for (const path of ['/users/a', '/users/b'])
      fixture.service.on(path, () => ({ body: { notes: someNotes(1) }, headers: { left, reset: reset() } }))
    fixture.service.on('/visits/a', () => ({ body: { notes: someNotes(2) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const asked = ['/users/a', '/users/b'].map((path) => fixture.service.requestsTo(path).length)
    assert.deepEqual(
      asked.sort((a, b) => a - b),
      [0, 1],
      'the group has one window',
    )
    assert.equal((await fixture.stored(profile, 'visits')).size, 2)
    assert.notEqual((await fixture.reload(profile)).state, 'limited')
    left = '100'
    fixture.clock.offsetMs += 700_000
    await fixture.run(profile)
    // After a long pause one call is made first, and the others wait for its answer.
    fixture.clock.offsetMs += 11_000
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile, 'people')).size + (await fixture.stored(profile, 'more')).size, 2)
  })

  test('a wait that stands in the body pauses the app', async () => {
    const connector = await fixture.use(
      'in-the-body',
      { list: notes('/backoff') },
      {
        api: {
          rate: (_headers, nowMs, body) => {
            const seconds = (body as { backoff?: number } | undefined)?.backoff
            return seconds === undefined ? undefined : { remaining: 0, resetAtMs: nowMs + seconds * 1000, of: 'app' }
          },
        },
      },
    )
    fixture.service.on('/backoff', () => ({ body: { notes: someNotes(3), backoff: 30 } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 3)
    assert.equal(await fixture.deps.rateLimiter.left(fixture.appId, connector), 0)
    await fixture.sync(profile)
    assert.equal(fixture.service.requestsTo('/backoff').length, 1)
    fixture.clock.offsetMs += 31_000
    await fixture.sync(profile)
    assert.equal(fixture.service.requestsTo('/backoff').length, 2)
  })
})
