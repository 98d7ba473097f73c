import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rateFrom } from '#kit/connector/rate.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { type Fixture, notes, openFixture, paged, someNotes } from '../engine-fixture.ts'
import type { Script } from '../scripted-service.ts'

const CALL_MS = 400

suite('R07 a service that fails', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture({ callMs: CALL_MS, transientRetryMs: 10 })
  })
  after(() => fixture.close())

  /** Two good pages, then a scripted third one, and a second endpoint that works. */
  async function failingAt(name: string, third: Script) {
    const connector = await fixture.use(name, {
      list: notes(`/${name}`, { pages: numberPages({ param: 'page' }) }),
      other: notes('/healthy'),
    })
    fixture.service.on('/healthy', () => ({ body: { notes: someNotes(1) } }))
    const holder = { third }
    fixture.service.on(`/${name}`, (request, response) =>
      request.query['page'] === '3' ? holder.third(request, response) : paged(() => someNotes(35), 10)(request),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    return { profile, holder, progress: () => fixture.progress(profile, 'list') }
  }

  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
  const FAULTS: [name: string, reason: string, third: Script][] = [
    ['e500', 'service_failed', () => ({ status: 500, body: { error: 'boom' } })],
    ['e503', 'service_failed', () => ({ status: 503, body: '<html>down</html>' })],
    ['html', 'answer_unreadable', () => ({ headers: { 'content-type': 'text/html' }, body: '<h1>Be right back</h1>' })],
    ['truncated', 'answer_unreadable', () => ({ body: '{"notes":[{"id":"21"' })],
    ['too-deep', 'answer_unreadable', () => ({ body: '['.repeat(100_000) + ']'.repeat(100_000) })],
    ['other-shape', 'unexpected_answer', () => ({ body: { notes: 'moved' } })],
    ['teapot', 'unexpected_answer', () => ({ status: 418, body: {} })],
    ['forbidden', 'service_refused', () => ({ status: 403, body: {} })],
    ['missing', 'not_found', () => ({ status: 404, body: {} })],
    ['elsewhere', 'redirect_refused', () => ({ status: 302, headers: { location: 'https://elsewhere.test/' } })],
    [
      'bomb',
      'answer_too_large',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
        return undefined
      },
    ],
    [
      'reset',
      'service_unreachable',
      (_, response) => {
        response.socket?.resetAndDestroy()
        return undefined
      },
    ],
    [
      'half-open',
      'service_timeout',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 4096 }).flushHeaders()
        return undefined
      },
    ],
    [
      'slow',
      'service_timeout',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        // Slowness is the input of this test, and never ends by itself.
        const drip = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(drip))
        return undefined
      },
    ],
    ['silent', 'service_timeout', () => undefined],
  ]
  for (const [name, reason, third] of FAULTS) {
    test(`${name}: the reason is stored, nothing is lost, the other endpoint runs, and the next run continues`, async () => {
      const { profile, holder, progress } = await failingAt(name, third)
      const { state, last_reason: lastReason, next_run: next } = await progress()
      assert.equal(state, 'failing')
      assert.equal(lastReason, reason)
      assert.ok(next > fixture.clock.now() + 5000)
      assert.equal((await fixture.stored(profile)).size, 20)
      assert.equal((await fixture.stored(profile, 'other')).size, 1)
      assert.equal((await fixture.reload(profile)).state, 'active')
      holder.third = paged(() => someNotes(35), 10)
      await fixture.sync(profile)
      assert.equal((await fixture.stored(profile)).size, 35)
      assert.equal((await progress()).state, 'done')
    })
  }

  test('a transient error is retried at once and does not count as a failure', async () => {
    let left = 2
    const { profile, progress } = await failingAt('transient', (request) => {
      if (left > 0) {
        left -= 1
        return { status: 502, body: {} }
      }
      return paged(() => someNotes(35), 10)(request)
    })
    assert.equal((await progress()).state, 'done')
    assert.equal((await fixture.stored(profile)).size, 35)
  })

  test('waits grow with failures, and Retry-After is respected: an earlier run of another endpoint does not call', async () => {
    const { profile, progress } = await failingAt('waits', () => ({
      status: 503,
      headers: { 'retry-after': '90' },
      body: {},
    }))
    const first = (await progress()).next_run - fixture.clock.now()
    assert.ok(first > 80_000 && first < 93_000, `${first}`)
    const asked = fixture.service.requestsTo('/waits').length
    // The other endpoint is due while this one still waits.
    await fixture.sql(`update endpoint_sync set next_run_at = 0 where profile_id = $1 and endpoint = 'other'`, [
      profile.id,
    ])
    fixture.clock.offsetMs += 60_000
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/waits').length, asked)
    fixture.clock.offsetMs += 40_000
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/waits').length, asked + 1)
  })

  for (const [form, header] of [
    ['seconds', () => '120'],
    ['a date', () => new Date(fixture.clock.now() + 120_000).toUTCString()],
  ] as const) {
    test(`429 with Retry-After in ${form}: no profile of the app calls before that, then everything continues`, async () => {
      const name = `limit-${form.replaceAll(' ', '')}`
      const { profile, holder } = await failingAt(name, () => ({
        status: 429,
        headers: { 'retry-after': header() },
        body: {},
      }))
      const limited = await fixture.reload(profile)
      assert.equal(limited.state, 'limited')
      assert.ok(Math.abs(limited.stateUntil! - fixture.clock.now() - 120_000) < 5000)
      const asked = fixture.service.requests.length
      // Neither a requested sync nor another person of the app causes a call.
      await fixture.sync(profile)
      const other = await fixture.connect(fixture.deps.registry.find(name)!, 'ben')
      await fixture.run(other)
      assert.equal(fixture.service.requests.length, asked)
      assert.equal((await fixture.progress(other, 'list')).state, 'waiting')
      holder.third = paged(() => someNotes(35), 10)
      fixture.clock.offsetMs += 125_000
      await fixture.run(profile)
      assert.equal((await fixture.stored(profile)).size, 35)
      assert.equal((await fixture.reload(profile)).state, 'active')
    })
  }

  test('429 without a header waits a minute', async () => {
    const { profile } = await failingAt('limit-silent', () => ({ status: 429, body: {} }))
    const { stateUntil } = await fixture.reload(profile)
    assert.ok(Math.abs(stateUntil! - fixture.clock.now() - 60_000) < 5000)
  })

  test('a limit of a person stops only that person; a limit of an endpoint only that endpoint', async () => {
    for (const scope of ['person', 'endpoint'] as const) {
      const name = `limit-${scope}`
      const resetAt = Math.round(fixture.clock.now() / 1000) + 300
      const connector = await fixture.use(
        name,
        { list: notes(`/${name}`, { pages: numberPages({ param: 'page' }) }), other: notes('/healthy') },
        { api: { rate: rateFrom({ remaining: 'x-left', reset: 'x-reset', of: scope }) } },
      )
      let limited = true
      fixture.service.on(`/${name}`, (request) =>
        limited && request.headers.authorization === 'Bearer token-ada' && request.query['page'] === '2'
          ? { status: 429, headers: { 'x-left': '0', 'x-reset': String(resetAt) }, body: {} }
          : paged(() => someNotes(15), 10)(request),
      )
      const [ada, ben] = [await fixture.connect(connector), await fixture.connect(connector, 'ben')]
      await fixture.run(ada)
      await fixture.run(ben)
      assert.equal((await fixture.stored(ada)).size, 10, scope)
      assert.equal((await fixture.stored(ben)).size, 15, scope)
      assert.equal((await fixture.stored(ada, 'other')).size, scope === 'person' ? 0 : 1)
      assert.equal((await fixture.reload(ada)).state, scope === 'person' ? 'limited' : 'active')
      const asked = fixture.service.requests.length
      await fixture.sync(ada)
      assert.equal(fixture.service.requests.length, asked + (scope === 'person' ? 0 : 1))
      limited = false
      fixture.clock.offsetMs += 305_000
      await fixture.run(ada)
      assert.equal((await fixture.stored(ada)).size, 15, scope)
    }
  })

  test('a response that states that no call is left stops the calls before the service refuses one', async () => {
    const connector = await fixture.use(
      'last-call',
      { list: notes('/last-call', { pages: numberPages({ param: 'page' }) }) },
      { api: { rate: rateFrom({ remaining: 'x-left', reset: 'x-reset', of: 'endpoint' }) } },
    )
    let left = 2
    const resetAt = Math.round(fixture.clock.now() / 1000) + 600
    fixture.service.on('/last-call', (request) => {
      left -= 1
      if (left < 0) return { status: 429, body: {} }
      return {
        ...paged(() => someNotes(50), 10)(request),
        headers: { 'x-left': String(left), 'x-reset': String(resetAt) },
      }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/last-call').length, 2)
    assert.equal((await fixture.stored(profile)).size, 20)
    assert.ok((await fixture.progress(profile, 'list')).next_run >= resetAt * 1000)
    left = 100
    fixture.clock.offsetMs += 605_000
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 50)
  })
})
