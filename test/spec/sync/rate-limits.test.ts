import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRateLimiter, type RateLimiter } from '#access/rate-limiter.ts'
import { planSyncs } from '#flows/sync/plan/plan.ts'
import { requestSync } from '#flows/sync/progress.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { type Fixture, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

suite('R07 rate limits', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const limited = (name: string, limits: Connector['api']['limits'], endpoints = { list: notes(`/${name}`) }) =>
    fixture.use(name, endpoints, { api: limits === undefined ? {} : { limits } })

  /** The most calls within any window of this length. */
  const mostIn = (times: number[], windowMs: number) =>
    Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length))

  /** Calls as fast as allowed in four processes for a while; returns the times. */
  async function hammer(connector: Connector, ms: number): Promise<number[]> {
    const times: number[] = []
    const until = Date.now() + ms
    const call = async (rateLimiter: RateLimiter) => {
      while (Date.now() < until) {
        const { untilMs } = await rateLimiter.tryAcquire('app', connector, 'sync')
        if (untilMs === undefined) times.push(Date.now())
        // Limits are of time itself: it calls again when the limiter says that it may.
        else await sleep(Math.min(200, Math.max(1, untilMs - fixture.clock.now())))
      }
    }
    const processes = Array.from({ length: 4 }, () =>
      createRateLimiter({ database: fixture.anotherPool({ pool: 2 }), clock: fixture.clock }),
    )
    await Promise.all(processes.flatMap((limiter) => [call(limiter), call(limiter), call(limiter)]))
    return times
  }

  test('four processes that call as fast as they can never make more calls than allowed, and do make some', async () => {
    const limits = [
      { calls: 1, perS: 2 },
      { calls: 2, perS: 1 },
      { calls: 7, perS: 1 },
      { calls: 60, perS: 1 },
      { calls: 40, perS: 2 },
    ]
    const connectors = await Promise.all(limits.map((app, i) => limited(`rate-${i}`, { app })))
    const found = await Promise.all(connectors.map((connector) => hammer(connector, 3000)))
    for (const [i, times] of found.entries()) {
      const { calls, perS } = limits[i]!
      const most = mostIn(times, perS * 1000)
      assert.ok(most <= calls, `${most} calls in a window of ${calls}`)
      assert.ok(times.length >= Math.floor((calls / perS) * 0.8), `only ${times.length} calls of ${calls} in ${perS} s`)
    }
  })

  test('some calls are reserved for requests that a person waits for', async () => {
    const connector = await limited('headroom', { app: { calls: 100, perS: 3600 } })
    const rateLimiter = createRateLimiter({ database: fixture.deps.database, clock: fixture.clock })
    const take = async (purpose: 'sync' | 'person') => {
      let taken = 0
      while ((await rateLimiter.tryAcquire('app', connector, purpose)).untilMs === undefined) taken += 1
      return taken
    }
    const synced = await take('sync')
    assert.ok(synced >= 7)
    const left = await rateLimiter.left('app', connector)
    assert.ok(left >= 1)
    assert.equal(await take('person'), left)
  })

  test('a block holds in every process until it ends, and other apps continue', async () => {
    const connector = await limited('blocked', undefined)
    const [one, other] = [
      fixture.deps.rateLimiter,
      createRateLimiter({ database: fixture.anotherPool(), clock: fixture.clock }),
    ]
    const untilMs = fixture.clock.now() + 60_000
    await one.block('app-a', connector, untilMs)
    assert.deepEqual(await other.tryAcquire('app-a', connector, 'sync'), { untilMs })
    assert.deepEqual(await other.tryAcquire('app-a', connector, 'person'), { untilMs })
    assert.equal(await other.left('app-a', connector), 0)
    assert.deepEqual(await other.tryAcquire('app-b', connector, 'sync'), { untilMs: undefined })
    assert.deepEqual(await other.capacity([{ appId: 'app-a', connector }]), [0])
    // A shorter block does not end a longer one.
    await other.block('app-a', connector, fixture.clock.now() + 1000)
    assert.deepEqual(await one.tryAcquire('app-a', connector, 'sync'), { untilMs })
    fixture.clock.offsetMs += 61_000
    assert.deepEqual(await other.tryAcquire('app-a', connector, 'sync'), { untilMs: undefined })
  })

  test('a block of a day holds after a restart; then one call is made, and the others wait for its answer', async () => {
    const connector = await limited('banned', { app: { calls: 1000, perS: 30 } })
    const restarted = () => createRateLimiter({ database: fixture.anotherPool(), clock: fixture.clock })
    const take = (limiter: ReturnType<typeof restarted>, profileId: string) =>
      limiter.tryAcquire('banned-app', connector, 'sync', profileId)
    const waits = async (limiter: ReturnType<typeof restarted>, profileId: string) =>
      Math.round((((await take(limiter, profileId)).untilMs ?? fixture.clock.now()) - fixture.clock.now()) / 1000)
    assert.equal(await waits(restarted(), 'ada'), 0)
    const untilMs = fixture.clock.now() + 79_892_000
    await restarted().block('banned-app', connector, untilMs)
    for (const passedS of [3600, 36_000, 40_000]) {
      fixture.clock.offsetMs += passedS * 1000
      assert.deepEqual(await take(restarted(), 'ada'), { untilMs })
    }
    fixture.clock.offsetMs += 300_000
    const [one, other] = [restarted(), restarted()]
    const after = [
      await waits(one, 'ada'),
      await waits(one, 'ben'),
      await waits(other, 'cem'),
      await waits(one, 'dora'),
    ]
    assert.deepEqual(after, [0, 10, 10, 10])
    // Refused again: everybody waits, and nobody else has called.
    await one.block('banned-app', connector, fixture.clock.now() + 7_200_000)
    fixture.clock.offsetMs += 10_000
    assert.equal(await waits(other, 'ben'), 7190)
    fixture.clock.offsetMs += 7_200_000
    assert.deepEqual([await waits(other, 'ben'), await waits(one, 'ada')], [0, 10])
    fixture.clock.offsetMs += 10_001
    const all = await Promise.all(['ada', 'ben', 'cem'].map((each) => waits(one, each)))
    assert.deepEqual(all, [0, 0, 0], 'the service has answered')
  })

  test('a person’s calls are counted for that person, and cost the app nothing when there are none left', async () => {
    const connector = await limited('persons', { person: { calls: 20, perS: 3600 }, app: { calls: 1000, perS: 3600 } })
    const acquire = async (profileId: string) => {
      let taken = 0
      while ((await fixture.deps.rateLimiter.tryAcquire('app', connector, 'person', profileId)).untilMs === undefined)
        taken += 1
      return taken
    }
    const before = await fixture.deps.rateLimiter.left('app', connector)
    assert.equal(await acquire('ada'), 8)
    assert.equal(await acquire('ada'), 0)
    assert.equal(await acquire('ben'), 8)
    assert.ok(before - (await fixture.deps.rateLimiter.left('app', connector)) <= 20)
  })

  test('all apps share a limit where the service counts all calls', async () => {
    const connector = await limited('everybody', {
      service: { calls: 50, perS: 3600 },
      app: { calls: 5000, perS: 3600 },
    })
    let taken = 0
    for (const app of ['a', 'b', 'c'])
      while ((await fixture.deps.rateLimiter.tryAcquire(app, connector, 'person')).untilMs === undefined) taken += 1
    assert.ok(taken <= 50 && taken >= 4, `${taken}`)
  })

  test('a sync without calls left continues later and does not count as failed', async () => {
    const connector = await limited(
      'used-up',
      { app: { calls: 60, perS: 600 } },
      { list: notes('/used-up', { pages: numberPages({ param: 'page' }) }) },
    )
    fixture.service.on(
      '/used-up',
      paged(() => someNotes(100), 10),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const first = (await fixture.stored(profile)).size
    assert.ok(first > 0 && first < 100)
    const { state, last_error: error, next_run: next } = await fixture.progress(profile, 'list')
    assert.deepEqual([state, error], ['running', undefined])
    assert.ok(next > fixture.clock.now() + 1000)
    assert.equal((await fixture.reload(profile)).state, 'connecting')
    for (let run = 0; run < 30 && (await fixture.stored(profile)).size < 100; run += 1) {
      fixture.clock.offsetMs += 60_000
      await fixture.run(profile)
    }
    assert.equal((await fixture.stored(profile)).size, 100)
    const pages = fixture.service.requestsTo('/used-up').map(({ query }) => query['page'])
    assert.equal(new Set(pages).size, pages.length)
  })

  test('an app with very many due profiles delays no other, and a blocked one is not planned at all', async () => {
    const own = await openFixture()
    try {
      const [busy, calm] = [await own.use('busy', { list: notes('/x') }), await own.use('calm', { list: notes('/x') })]
      const begun: string[] = []
      const runs = {
        free: () => 100,
        isRunning: () => false,
        start: ({ profileId }: { profileId: string }) => void begun.push(profileId),
      }
      await own.sql(
        `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq) select 1, 'p' || n, $1, 'busy', n, 0 from generate_series(1, 5000) n`,
        [own.appId],
      )
      const late = await own.connect(calm)
      await requestSync(own.deps, late)
      const planned = await planSyncs(own.deps, runs)
      assert.ok(begun.includes(late.id))
      assert.ok(planned > 40 && planned <= 100, `${planned}`)
      await own.deps.rateLimiter.block(own.appId, busy, own.clock.now() + 60_000)
      assert.equal(await planSyncs(own.deps, runs), 0)
    } finally {
      await own.close()
    }
  })
})
