import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createRateLimiter } from '#access/rate-limiter.ts'
import { facebook } from '#connectors/facebook/connector.ts'
import { github } from '#connectors/github/connector.ts'
import { google } from '#connectors/google/connector.ts'
import { nextPacificMidnight } from '#connectors/google/failures.ts'
import type { RawRefusal } from '#flows/proxy/classify-refusal.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import type { Api, Connector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import { linkPages } from '#kit/endpoints/pages.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { createJobLedger } from '#platform/isolation/job-ledger.ts'
import type { Lane } from '#platform/isolation/lane.ts'
import { WorkerDied } from '#platform/isolation/protocol.ts'
import type { DeliveryDependencies } from '../../../src/boot/delivery-deps.ts'
import { remoteClassifyRefusal, taskHandlers } from '../../../src/boot/tasks.ts'
import { type Fixture, keyOf, notes, openFixture, someNotes } from '../sync/engine-fixture.ts'
import type { Script } from '../sync/scripted-service.ts'
import { proxied } from './proxied-call.ts'

const HOUR_MS = 3_600_000

suite('R07 rate limits that a service announces', () => {
  let fixture: Fixture
  let nowMs: number
  before(async () => {
    fixture = await openFixture({ transientRetryMs: 1 })
    // Fixed, so that sync and proxy learn the same from the same response one after the other.
    nowMs = Date.now()
    fixture.clock.now = () => nowMs
  })
  beforeEach(() => {
    nowMs = Math.ceil((nowMs + 1) / 1000) * 1000
  })
  after(() => fixture.close())

  const seconds = (s: number) => String(Math.floor(nowMs / 1000) + s)
  const ofVendor = ({ api: { limits, rate, recovery } }: Connector): Partial<Api> => ({
    ...(limits && { limits }),
    ...(rate && { rate }),
    ...(recovery && { recovery }),
  })
  const announced: Partial<Api> = { rate: rateFrom({ remaining: 'left', reset: 'reset' }) }
  const onPerson: Partial<Api> = { rate: rateFrom({ remaining: 'left', reset: 'reset', of: 'person' }) }
  const few = { calls: 1000, perS: 3600 }

  const service = async (name: string, api: Partial<Api>, script: Script) => {
    const connector = await fixture.use(name, { list: notes('/list', { pages: linkPages() }) }, { api })
    fixture.service.on('/list', script)
    return connector
  }
  /** The blocked buckets, and for how many seconds. */
  const paused = async () =>
    (
      await fixture.sql<{ bucket: string; blocked_until: number }>(
        'select bucket, blocked_until from rate_limit where blocked_until > $1 order by bucket',
        [nowMs],
      )
    ).map(({ bucket, blocked_until: untilMs }) => ({ bucket, seconds: Math.round((untilMs - nowMs) / 1000) }))
  /** A rate limiter as after a restart: it knows only what is stored. */
  const restarted = () => ({
    ...fixture.deps,
    rateLimiter: createRateLimiter({ database: fixture.deps.database, clock: fixture.clock }),
  })
  const forget = () => fixture.sql('delete from rate_limit')
  const sync = (profile: Profile, deps = restarted()) =>
    runProfile(deps, keyOf(profile), { signal: new AbortController().signal, alone: false, step: () => {} })
  const calls = () => fixture.service.requestsTo('/list').length

  interface Case {
    api: () => Partial<Api>
    script: () => Script
    /** Undefined: neither is blocked. */
    scope: 'app' | 'person' | undefined
    seconds?: number
  }
  const CASES: Record<string, Case> = {
    'Facebook, used up: the app': {
      api: () => ofVendor(facebook),
      script: () => () => ({
        headers: { 'x-app-usage': JSON.stringify({ call_count: 100 }) },
        body: { notes: someNotes(1) },
      }),
      scope: 'app',
      seconds: 3600,
    },
    'Facebook, refused by a code in a short body: the person': {
      api: () => ofVendor(facebook),
      script: () => () => ({ status: 400, body: { error: { code: 17, message: 'User request limit reached' } } }),
      scope: 'person',
      seconds: 60,
    },
    'Facebook, “Application request limit reached”: the app': {
      api: () => ofVendor(facebook),
      script: () => () => ({ status: 403, body: { error: { code: 4, message: 'Application request limit reached' } } }),
      scope: 'app',
      seconds: 60,
    },
    'Facebook, the same for the person while the app has calls left': {
      api: () => ofVendor(facebook),
      script: () => () => ({
        status: 400,
        headers: { 'x-app-usage': JSON.stringify({ call_count: 40 }) },
        body: { error: { code: 17 } },
      }),
      scope: 'person',
      seconds: 60,
    },
    'Facebook, the same compressed and in pieces': {
      api: () => ofVendor(facebook),
      script: () => (_, response) => {
        const bytes = gzipSync(JSON.stringify({ error: { code: 17 } }))
        response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.write(bytes.subarray(0, 7))
        response.end(bytes.subarray(7))
        return undefined
      },
      scope: 'person',
      seconds: 60,
    },
    'Facebook, another refusal: neither': {
      api: () => ofVendor(facebook),
      script: () => () => ({ status: 400, body: { error: { code: 100 } } }),
      scope: undefined,
    },
    'GitHub’s secondary limit, 403 with Retry-After: the person': {
      api: () => ofVendor(github),
      script: () => () => ({ status: 403, headers: { 'retry-after': '120' }, body: {} }),
      scope: 'person',
      seconds: 120,
    },
    'GitHub’s secondary limit, by its message alone: the person': {
      api: () => ofVendor(github),
      script: () => () => ({ status: 403, body: { message: 'You have exceeded a secondary rate limit.' } }),
      scope: 'person',
      seconds: 60,
    },
    'GitHub’s search, which is counted separately: neither': {
      api: () => ofVendor(github),
      script: () => () => ({
        status: 403,
        headers: {
          'x-ratelimit-resource': 'search',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': seconds(600),
        },
        body: {},
      }),
      scope: undefined,
    },
    'a 429 that names no time: the app, a minute': {
      api: () => ({}),
      script: () => () => ({ status: 429, body: {} }),
      scope: 'app',
      seconds: 60,
    },
    'a 429 that names no time, where people are counted: the person, a minute': {
      api: () => ({ limits: { person: few } }),
      script: () => () => ({ status: 429, body: {} }),
      scope: 'person',
      seconds: 60,
    },
    'a 429 with Retry-After, where the app is counted': {
      api: () => ({ limits: { app: few } }),
      script: () => () => ({ status: 429, headers: { 'retry-after': '30' }, body: {} }),
      scope: 'app',
      seconds: 30,
    },
    'a 429 with Retry-After for the call and a later reset for the window': {
      api: () => announced,
      script: () => () => ({
        status: 429,
        headers: { 'retry-after': '30', left: '0', reset: seconds(900) },
        body: {},
      }),
      scope: 'app',
      seconds: 900,
    },
    'nothing left for the app': {
      api: () => announced,
      script: () => () => ({ headers: { left: '0', reset: seconds(900) }, body: { notes: [] } }),
      scope: 'app',
      seconds: 900,
    },
    'nothing left for the person, whom no declared limit names': {
      api: () => onPerson,
      script: () => () => ({ headers: { left: '0', reset: seconds(900) }, body: { notes: [] } }),
      scope: 'person',
      seconds: 900,
    },
    'calls left: neither': {
      api: () => announced,
      script: () => () => ({ headers: { left: '7', reset: seconds(900) }, body: { notes: [] } }),
      scope: undefined,
    },
    'an outage with Retry-After: neither': {
      api: () => announced,
      script: () => () => ({ status: 503, headers: { 'retry-after': '30' }, body: {} }),
      scope: undefined,
    },
  }

  for (const [i, [what, { api, script, scope, seconds: wait }]] of Object.entries(CASES).entries())
    test(`sync and proxy learn the same: ${what}`, async () => {
      const name = `same-${i}`
      const connector = await service(name, api(), script())
      const profile = await fixture.connect(connector)
      const bucket = scope === 'person' ? `${fixture.appId} ${name} ${profile.id}` : `${fixture.appId} ${name}`
      const expected = scope === undefined ? [] : [{ bucket, seconds: wait }]
      await forget()
      await sync(profile)
      assert.ok(calls() > 0)
      assert.deepEqual(await paused(), expected, 'sync')
      await forget()
      await proxied(restarted(), profile, '/list')
      assert.deepEqual(await paused(), expected, 'proxy')
      await forget()
    })

  test('a refusal that was examined reaches the app unchanged', async () => {
    const long = JSON.stringify({ error: { code: 17, message: 'x'.repeat(100_000) } })
    const short = JSON.stringify({ error: { code: 17 } })
    for (const [i, body] of [long, short].entries()) {
      const connector = await service(`as-it-came-${i}`, ofVendor(facebook), (_, response) => {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.write(body.slice(0, 20))
        response.end(body.slice(20))
        return undefined
      })
      const profile = await fixture.connect(connector)
      const { status, text } = await proxied(restarted(), profile, '/list')
      assert.deepEqual([status, text], [400, body])
    }
  })

  for (const [scope, api] of Object.entries({ person: onPerson, app: announced }))
    test(`after the proxy learned that the ${scope} has no calls left, sync waits, and only where it applies`, async () => {
      const name = `then-${scope}`
      const connector = await service(name, api, () => ({
        headers: { left: '0', reset: seconds(900) },
        body: { notes: someNotes(3) },
      }))
      const [ada, ben] = [await fixture.connect(connector, 'ada'), await fixture.connect(connector, 'ben')]
      const process = restarted()
      assert.equal((await proxied(process, ada, '/list')).status, 200)
      fixture.service.on('/list', () => ({ body: { notes: someNotes(3) } }))
      const before = calls()

      await sync(ada, process)
      assert.equal(calls(), before, 'sync in the same process waits')
      const { state, next_run: next, last_error: error } = await fixture.progress(ada, 'list')
      assert.deepEqual([state, error], ['waiting', undefined])
      assert.ok(next >= nowMs + 899_000 && next <= nowMs + 901_000, `${next - nowMs}`)
      const waits = { reason: 'service_limited', retryAfterS: 900 }
      await assert.rejects(proxied(process, ada, '/list'), waits)

      // Another process, or this one after a restart.
      await assert.rejects(proxied(restarted(), ada, '/list'), waits)
      await fixture.sql('update endpoint_sync set next_run_at = 0 where profile_id = $1', [ada.id])
      await sync(ada)
      assert.equal(calls(), before, 'sync in a new process waits')

      await sync(ben)
      if (scope === 'person') assert.equal((await fixture.stored(ben)).size, 3, 'another person is not concerned')
      else assert.equal(calls(), before, 'everybody of the app waits')

      nowMs += HOUR_MS
      for (const profile of [ada, ben]) {
        await fixture.sql('update endpoint_sync set next_run_at = 0 where profile_id = $1', [profile.id])
        await sync(profile)
        assert.equal((await fixture.stored(profile)).size, 3, 'all continue after the reset')
        // After a long pause one call is made first, and the others wait for its answer.
        nowMs += 11_000
      }
    })

  test('after sync learned a limit, the proxy waits', async () => {
    const connector = await service('the-other-way', ofVendor(github), () => ({
      status: 403,
      headers: { 'retry-after': '120' },
      body: {},
    }))
    const [ada, ben] = [await fixture.connect(connector, 'ada'), await fixture.connect(connector, 'ben')]
    await sync(ada)
    fixture.service.on('/list', () => ({ body: { notes: [] } }))
    await assert.rejects(proxied(restarted(), ada, '/list'), { reason: 'service_limited', retryAfterS: 120 })
    assert.equal((await proxied(restarted(), ben, '/list')).status, 200)
  })

  suite('a refusal that a worker process examines', () => {
    const limit = { status: 400, body: { error: { code: 17 } } }
    const laneOf = (run: (task: string, input: unknown) => Promise<unknown>) => ({ run }) as unknown as Lane

    test('gives the same verdict as in this process', async () => {
      const profile = await fixture.connect(await service('by-worker', ofVendor(facebook), () => limit))
      const { classifyRefusal } = taskHandlers(
        fixture.deps as unknown as DeliveryDependencies,
        createJobLedger(() => {}),
      )
      // Processes exchange copies.
      const lane = laneOf((task, input) => {
        assert.equal(task, 'classifyRefusal')
        return classifyRefusal(structuredClone(input) as RawRefusal, new AbortController().signal)
      })
      await forget()
      const { status, text } = await proxied(
        { ...restarted(), classifyRefusal: remoteClassifyRefusal(lane) },
        profile,
        '/list',
      )
      assert.deepEqual([status, text], [400, JSON.stringify(limit.body)])
      assert.deepEqual(await paused(), [{ bucket: `${fixture.appId} by-worker ${profile.id}`, seconds: 60 }])
    })

    test('is of the group of endpoints that its body names, as in a sync', async () => {
      const exceeded = {
        status: 403,
        body: { error: { errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }] } },
      }
      const api = { ...ofVendor(google), group: () => 'youtube' }
      const connector = await service('of-a-day', api, () => exceeded)
      const profile = await fixture.connect(connector)
      await forget()
      await proxied(restarted(), profile, '/list')
      const seconds = Math.round((nextPacificMidnight(nowMs) - nowMs) / 1000)
      const expected = [{ bucket: `${fixture.appId} of-a-day #youtube`, seconds }]
      assert.deepEqual(await paused(), expected)
      await forget()
      await sync(profile)
      assert.deepEqual(await paused(), expected)
    })

    test('reaches the app also when the worker crashes', async () => {
      const profile = await fixture.connect(await service('of-it', ofVendor(facebook), () => limit))
      const lane = laneOf(() => Promise.reject(new WorkerDied({ reason: 'crashed', detail: '' })))
      await forget()
      const { status, text } = await proxied(
        { ...restarted(), classifyRefusal: remoteClassifyRefusal(lane) },
        profile,
        '/list',
      )
      assert.deepEqual([status, text], [400, JSON.stringify(limit.body)])
      assert.deepEqual(await paused(), [])
    })
  })

  test('a connector’s reader of rate limits that throws is logged, and the response is used', async () => {
    const rate = () => {
      throw new TypeError('no such header')
    }
    const connector = await service('unreadable', { rate }, () => ({ body: { notes: someNotes(3) } }))
    const profile = await fixture.connect(connector)
    const logged = () =>
      fixture.lines.filter((line) => line.includes('could not read the rate limit headers') && line.includes('"warn"'))
    for (const [n, call] of [() => sync(profile), () => proxied(restarted(), profile, '/list')].entries()) {
      await call()
      assert.equal(logged().length, n + 1)
    }
    assert.match(logged()[0]!, /"service":"unreadable"[\s\S]*no such header/)
    assert.equal((await fixture.stored(profile)).size, 3)
    assert.deepEqual(await paused(), [])
  })

  test('limits are learned from every page of a walk', async () => {
    for (const page of ['1', '2']) {
      const connector = await service(`walk-${page}`, announced, ({ query }) => ({
        headers: {
          ...(query['page'] === '2' ? {} : { link: '</list?page=2>; rel="next"' }),
          ...((query['page'] ?? '1') === page ? { left: '0', reset: seconds(900) } : {}),
        },
        body: { notes: someNotes(1) },
      }))
      const profile = await fixture.connect(connector)
      await forget()
      await proxied(restarted(), profile, '/list', true).catch(() => undefined)
      assert.deepEqual(await paused(), [{ bucket: `${fixture.appId} walk-${page}`, seconds: 900 }])
    }
  })
})
