import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oauth2 } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { rateFrom } from '#kit/connector/rate.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Fixture, notes, openFixture, someNotes } from '../spec/sync/engine-fixture.ts'
import { type ScriptedService, startScripted } from '../spec/sync/scripted-service.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Jitter of a retry, plus a margin for slow machines. */
const SLACK_MS = 10 * 60_000

const ABSURD = [
  '99999999999999999999999',
  '9'.repeat(400),
  '1e300',
  '-1',
  '-99999999999999999999999',
  'NaN',
  'Infinity',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  '+275760-09-13T00:00:00.000Z',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  '0x7fffffffffffffff',
]

suite('waits that a service asks for are bounded and affect only its own people', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture({ transientRetryMs: 1 })
  })
  after(() => fixture.close())

  const responses = (path: string, response: { status?: number; headers?: Record<string, string> }) =>
    fixture.service.on(path, () => ({ body: { notes: someNotes(3) }, ...response }))
  const rate = rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' })
  const usedUp = (reset = '999999999999') => ({ 'ratelimit-remaining': '0', 'ratelimit-reset': reset })

  /** Whether the app may call now, and if not, for how long. */
  const blockedMs = async (connector: Connector, profile?: Profile, host?: string) => {
    const { untilMs } = await fixture.deps.rateLimiter.tryAcquire(fixture.appId, connector, 'person', profile?.id, host)
    return untilMs === undefined ? 0 : untilMs - fixture.clock.now()
  }

  /** After a long block one call is made and the others wait for its response; it may be the one for the person's record. */
  const runTwice = async (profile: Profile) => {
    await fixture.run(profile)
    fixture.clock.offsetMs += SLACK_MS
    await fixture.run(profile)
  }

  for (const [i, retryAfter] of ABSURD.entries())
    for (const status of [429, 503])
      test(`${status} with Retry-After: ${retryAfter.slice(0, 40)} is tried again within a day, and not at once`, async () => {
        const name = `absurd-${i}-${status}`
        const connector = await fixture.use(name, { list: notes(`/${name}`) })
        responses(`/${name}`, { status, headers: { 'retry-after': retryAfter } })
        const profile = await fixture.connect(connector)
        await fixture.run(profile)
        const { next_run: next, last_reason: reason } = await fixture.progress(profile, 'list')
        assert.equal(reason, status === 429 ? 'rate_limited' : 'service_failed')
        const now = fixture.clock.now()
        assert.ok(next > now - SLACK_MS && next <= now + DAY_MS + SLACK_MS, `next in ${next - now} ms`)
        assert.ok((await blockedMs(connector)) <= DAY_MS)
        // It continues when the time has come.
        responses(`/${name}`, {})
        fixture.clock.offsetMs += DAY_MS + SLACK_MS
        await runTwice(profile)
        assert.equal((await fixture.stored(profile)).size, 3)
      })

  test('an app is blocked for an hour at most, a person for a day', async () => {
    for (const [of, mostMs] of [
      ['app', HOUR_MS],
      ['person', DAY_MS],
    ] as const) {
      const name = `reset-${of}`
      const limits = { [of]: { calls: 1000, perS: 60 } }
      const rate = rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', of })
      const connector = await fixture.use(name, { list: notes(`/${name}`) }, { api: { limits, rate } })
      responses(`/${name}`, { headers: usedUp() })
      const profile = await fixture.connect(connector)
      await fixture.run(profile)
      const waitMs = await blockedMs(connector, profile)
      assert.ok(waitMs > mostMs - SLACK_MS && waitMs <= mostMs, `${of}: ${waitMs}`)
    }
  })

  test('the interval of an endpoint is a day at most', async () => {
    const rate = rateFrom({ remaining: 'ratelimit-remaining', reset: 'ratelimit-reset', of: 'endpoint' })
    const connector = await fixture.use('resting', { list: notes('/resting') }, { api: { rate } })
    responses('/resting', { headers: usedUp() })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const { next_run: next } = await fixture.progress(profile, 'list')
    assert.ok(next <= fixture.clock.now() + DAY_MS + SLACK_MS, String(next))
  })

  test('a rate limit that a connector cannot read is ignored', async () => {
    for (const [i, broken] of [
      () => {
        throw new TypeError('null has no properties')
      },
      () => ({ remaining: 0, resetAtMs: Number.NaN }),
      () => ({ remaining: 0, resetAtMs: Number.POSITIVE_INFINITY }),
      () => ({ remaining: Number.NaN, resetAtMs: 1e300 }),
    ].entries()) {
      const name = `broken-rate-${i}`
      const connector = await fixture.use(name, { list: notes(`/${name}`) }, { api: { rate: broken } })
      responses(`/${name}`, {})
      const profile = await fixture.connect(connector)
      await fixture.run(profile)
      assert.equal((await fixture.stored(profile)).size, 3)
      assert.ok((await blockedMs(connector)) <= HOUR_MS)
    }
  })

  test('a stored block beyond the limit is ignored', async () => {
    const connector = await fixture.use('poisoned', { list: notes('/poisoned') })
    await fixture.deps.rateLimiter.block(fixture.appId, connector, fixture.clock.now() + 1000)
    await fixture.sql(`update rate_limit set blocked_until = 999999999999000 where bucket = $1`, [
      `${fixture.appId} poisoned`,
    ])
    fixture.clock.offsetMs += HOUR_MS
    assert.equal(await blockedMs(connector), 0)
    assert.ok((await fixture.deps.rateLimiter.left(fixture.appId, connector)) > 0)
    assert.ok((await fixture.deps.rateLimiter.capacity([{ appId: fixture.appId, connector }]))[0]! > 0)
    await fixture.deps.rateLimiter.block(fixture.appId, connector, fixture.clock.now() + 60_000)
    const waitMs = await blockedMs(connector)
    assert.ok(waitMs > 0 && waitMs <= 60_000, String(waitMs))
  })

  suite('services with a server per person', () => {
    let evil: ScriptedService
    before(async () => {
      evil = await startScripted()
    })
    after(() => evil.close())

    const auth = oauth2({
      authorizeUrl: 'https://network.test/authorize',
      tokenUrl: 'https://network.test/token',
      home: { document: () => 'https://network.test/', read: () => undefined, apiPath: '' },
    })
    const at = (server: ScriptedService) => ({ instance: { api_url: server.url } })

    // A stated wait counts for longer than the time of a reset.
    for (const [what, response, mostMs] of [
      ['a used-up limit', { status: 200, headers: usedUp() }, HOUR_MS],
      ['a 429', { status: 429, headers: { 'retry-after': '999999999999' } }, DAY_MS],
    ] as const)
      test(`${what} of one server applies to that server only`, async () => {
        const name = `network-${response.status}`
        const api = { rate, limits: { app: { calls: 3000, perS: 300 } } }
        const connector = await fixture.use(name, { list: notes('/list') }, { auth, api })
        evil.on('/list', () => ({ body: { notes: someNotes(1) }, ...response }))
        responses('/list', {})
        const [mallory, victim] = [
          await fixture.connect(connector, 'mallory', at(evil)),
          await fixture.connect(connector, 'victim', at(fixture.service)),
        ]
        await fixture.run(mallory)
        await fixture.run(victim)
        assert.equal((await fixture.stored(victim)).size, 3)
        // Another person of the attacker's server waits, but not without end.
        const waitMs = await blockedMs(connector, mallory, new URL(evil.url).host)
        assert.ok(waitMs > mostMs - SLACK_MS && waitMs <= mostMs, String(waitMs))
        assert.ok((await fixture.deps.rateLimiter.capacity([{ appId: fixture.appId, connector }]))[0]! > 0)
        const asked = evil.requestsTo('/list').length
        const neighbour = await fixture.connect(connector, 'neighbour', at(evil))
        await fixture.run(neighbour)
        assert.equal(evil.requestsTo('/list').length, asked)
        fixture.clock.offsetMs += mostMs
        evil.on('/list', () => ({ body: { notes: someNotes(1) } }))
        await runTwice(neighbour)
        assert.equal((await fixture.stored(neighbour)).size, 1)
      })
  })
})
