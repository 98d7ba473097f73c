import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { pauseSync } from '#flows/sync/pause.ts'
import { resetSync } from '#flows/sync/progress.ts'
import { selfDueAt } from '#flows/sync/run/self-pace.ts'
import { apiKey } from '#kit/auth/auth.ts'
import { type SelfReader, self } from '#kit/auth/self.ts'
import type { Connector } from '#kit/connector/connector.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Fixture, keyOf, notes, openFixture, someNotes } from './engine-fixture.ts'
import type { ScriptedResponse } from './scripted-service.ts'

interface Me {
  id: string
  name?: string
  handle?: string
  email?: string
  photo?: string
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const reader = (path: string): SelfReader => self<Me>(path, ({ id, ...person }) => ({ id, ...person }))

suite('the service’s record of a person', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  /** A connected and synced person, whose record the service returns as the test says. */
  async function connected(name: string, more: Partial<Connector> = {}, endpoints = { list: notes(`/${name}/list`) }) {
    const record: { answer: ScriptedResponse } = { answer: { body: { id: 'ada', name: 'Ada' } } }
    const connector = await fixture.use(name, endpoints, { self: reader(`/${name}/me`), ...more })
    fixture.service.on(`/${name}/list`, () => ({ body: { notes: someNotes(1) } }))
    fixture.service.on(`/${name}/me`, () => record.answer)
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    return {
      profile,
      record,
      asked: () => fixture.service.requestsTo(`/${name}/me`).length,
      nextDay: async () => {
        fixture.clock.offsetMs += 1.3 * DAY_MS
        await fixture.run(profile)
      },
      current: () => fixture.reload(profile),
    }
  }

  const dueDeliveries = ({ shard, id }: Profile) =>
    fixture.sql(`select 1 from delivery_cursor where shard = $1 and profile_id = $2 and due_at <= $3`, [
      shard,
      id,
      fixture.clock.now(),
    ])

  test('is read again once a day, and what changed is stored and delivered', async () => {
    const { record, asked, nextDay, current, profile } = await connected('daily')
    assert.equal(asked(), 0, 'the sign-in has just read it')
    await nextDay()
    assert.equal(asked(), 1)
    const first = await current()
    assert.deepEqual([first.person, first.data], [{ name: 'Ada' }, '{"id":"ada","name":"Ada"}'])
    record.answer = {
      body: { id: 'ada', name: 'Ada L.', handle: 'ada', email: 'ada@ada.test', photo: 'https://p.test/2' },
    }
    await fixture.sync(profile)
    assert.equal(asked(), 1, 'not in every run')
    await nextDay()
    const second = await current()
    assert.deepEqual(second.person, { name: 'Ada L.', handle: 'ada', email: 'ada@ada.test', photo: 'https://p.test/2' })
    assert.ok(second.updatedAt > first.updatedAt)
    assert.equal(second.nativeId, 'ada')
    assert.equal(second.connectedAt, first.connectedAt)
    assert.ok(fixture.lines.some((line) => line.includes('record of a person has changed')))
    assert.ok(!fixture.lines.some((line) => line.includes('ada@ada.test')), 'no personal data in the log')
    await nextDay()
    assert.equal((await current()).updatedAt, second.updatedAt, 'an equal record is not written')
  })

  test('of a source that nobody vouches for may say anything, and one of a server may have an id without it', async () => {
    const ask = { host: { title: 'Server', example: 'a.test', kind: 'host' } } as const
    const server = await connected('older-id', { ask })
    await server.nextDay()
    assert.deepEqual([server.asked(), (await server.current()).state], [1, 'active'])
    const shared = { auth: apiKey({ in: 'header', scheme: 'Bearer' }), vouchedBy: 'nobody' } as const
    fixture.service.on('/nobodys/ada/list', () => ({ body: { notes: someNotes(1) } }))
    const source = await connected('nobodys', shared, { list: notes('/nobodys/{id}/list') })
    assert.equal(fixture.service.requestsTo('/nobodys/ada/list').length, 1, 'the service knows it by its own id')
    source.record.answer = { body: { id: 'another', name: 'Another' } }
    await source.nextDay()
    const { state, nativeId, person } = await source.current()
    assert.deepEqual([state, person], ['active', { name: 'Another', source: 'another' }])
    assert.equal(nativeId, source.profile.nativeId)
    assert.notEqual(nativeId, 'ada')
  })

  test('people are spread over the day', () => {
    const dues = Array.from({ length: 200 }, (_, i) => selfDueAt(`profile${i}`, 0, DAY_MS) / HOUR_MS)
    assert.ok(Math.min(...dues) >= 18 && Math.max(...dues) <= 30)
    assert.ok(new Set(dues.map(Math.floor)).size >= 10)
  })

  test('is read without endpoints that are due, too', async () => {
    const { asked, nextDay, profile } = await connected('nothing-due')
    await fixture.sql(`update endpoint_sync set next_run_at = 9e15 where profile_id = $1`, [profile.id])
    await nextDay()
    assert.equal(asked(), 1)
    const [row] = await fixture.sql<{ next_run_at: number }>(
      `select next_run_at from profile_sync where shard = $1 and profile_id = $2`,
      [profile.shard, profile.id],
    )
    assert.ok(row!.next_run_at < fixture.clock.now() + 2 * DAY_MS, 'and the next time is scheduled')
  })

  test('of somebody else is never stored: the person has to sign in again', async () => {
    const { record, nextDay, current } = await connected('stranger')
    record.answer = { body: { id: 'eve', name: 'Eve' } }
    const asked = fixture.service.requestsTo('/stranger/list').length
    await nextDay()
    const after = await current()
    assert.deepEqual([after.state, after.error], ['needs_auth', 'person_changed'])
    assert.deepEqual([after.nativeId, after.person, after.data], ['ada', {}, '{}'])
    assert.equal(fixture.service.requestsTo('/stranger/list').length, asked, 'nothing of the stranger is read')
  })

  test('with another id of the same person is accepted, and the profile keeps its id', async () => {
    const name = 'renumbered'
    const { record, nextDay, current } = await connected(name, {
      self: { ...reader(`/${name}/me`), alsoKnownAs: (body) => (body as { old?: string }).old },
    })
    record.answer = { body: { id: '4711', old: 'ada', name: 'Ada' } }
    await nextDay()
    const after = await current()
    assert.deepEqual([after.state, after.nativeId, after.person.name], ['active', 'ada', 'Ada'])
  })

  test('a refused token ends the sync, a missing permission or an outage does not', async () => {
    const answers: [string, ScriptedResponse, string][] = [
      ['me-401', { status: 401, body: {} }, 'needs_auth'],
      ['me-403', { status: 403, body: {} }, 'active'],
      ['me-500', { status: 500, body: {} }, 'active'],
      ['me-html', { body: '<html>' }, 'active'],
      ['me-no-id', { body: {} }, 'active'],
    ]
    for (const [name, answer, state] of answers) {
      const { record, asked, nextDay, current, profile } = await connected(name)
      record.answer = answer
      const before = asked()
      await nextDay()
      assert.equal((await current()).state, state, name)
      const calls = asked()
      assert.ok(calls > before, name)
      if (state === 'active') {
        await fixture.sync(profile)
        assert.equal(asked(), calls, `${name}: not again before a day has passed`)
        assert.deepEqual((await current()).person, {}, name)
      }
    }
  })

  test('a rate limit that its call meets holds for all calls', async () => {
    const { record, nextDay, profile } = await connected('me-429')
    record.answer = { status: 429, headers: { 'retry-after': '600' }, body: {} }
    const connector = fixture.deps.registry.find('me-429')!
    await nextDay()
    assert.equal(await fixture.deps.rateLimiter.left(profile.appId, connector), 0)
  })

  test('counts against the rate limits: without calls left it waits', async () => {
    const { asked, nextDay, profile } = await connected('me-limited')
    fixture.clock.offsetMs += 1.3 * DAY_MS
    const connector = fixture.deps.registry.find('me-limited')!
    await fixture.deps.rateLimiter.block(profile.appId, connector, fixture.clock.now() + HOUR_MS)
    await fixture.run(profile)
    assert.equal(asked(), 0)
    await nextDay()
    assert.equal(asked(), 1)
  })

  test('is not written by a run that lost its lease', async () => {
    const { record, nextDay, current, profile } = await connected('late')
    let release = () => {}
    fixture.service.on('/late/me', async () => {
      await resetSync(fixture.deps, profile)
      release()
      return record.answer
    })
    const reset = new Promise<void>((resolve) => {
      release = resolve
    })
    await Promise.all([nextDay(), reset])
    assert.deepEqual((await current()).person, {})
  })

  test('is not read while the profile is paused', async () => {
    const { asked, nextDay, profile } = await connected('paused')
    await pauseSync(fixture.deps, profile, 'test')
    await nextDay()
    assert.equal(asked(), 0)
  })

  suite('when a handle stops working', () => {
    const named = (name: string, where: 'path' | 'query') =>
      where === 'path'
        ? { list: notes(`/${name}/of/{handle}`), other: notes(`/${name}/list`) }
        : { list: notes(`/${name}/search`, { query: { q: 'author:{handle}' } }), other: notes(`/${name}/list`) }

    for (const [where, status] of [
      ['path', 404],
      ['path', 410],
      ['query', 422],
    ] as const)
      test(`the new one is read at once, and the endpoint with it: ${status} in the ${where}`, async () => {
        const name = `renamed-${status}`
        let handle = 'ada'
        const answerTo = (asked: string) =>
          asked === handle ? { body: { notes: someNotes(2) } } : { status, body: { message: 'Not Found' } }
        for (const each of ['ada', 'lovelace']) fixture.service.on(`/${name}/of/${each}`, () => answerTo(each))
        fixture.service.on(`/${name}/search`, ({ query }) => answerTo(query['q']!.slice('author:'.length)))
        const { record, asked, current, profile } = await connected(name, {}, named(name, where))
        assert.equal((await fixture.stored(profile)).size, 2)
        handle = 'lovelace'
        record.answer = { body: { id: 'ada', handle } }
        fixture.clock.offsetMs += 7 * HOUR_MS
        await fixture.sync(profile)
        assert.equal(asked(), 1)
        assert.equal((await current()).person.handle, 'lovelace')
        await fixture.run(profile)
        const { state, last_run: ranAt } = await fixture.progress(profile, 'list')
        assert.equal(state, 'done')
        assert.ok(ranAt !== undefined)
        assert.equal(asked(), 1, 'once')
      })

    test('that is gone for good is checked at most every few hours', async () => {
      const name = 'vanished'
      fixture.service.on(`/${name}/of/ada`, () => ({ status: 404, body: {} }))
      const { record, asked, profile } = await connected(name, {}, named(name, 'path'))
      record.answer = { body: { id: 'ada', handle: 'ada' } }
      assert.equal(asked(), 0, 'the sign-in has just read it')
      fixture.clock.offsetMs += 7 * HOUR_MS
      for (let i = 0; i < 4; i += 1) await fixture.sync(profile)
      assert.equal(asked(), 1)
      fixture.clock.offsetMs += 7 * HOUR_MS
      for (let i = 0; i < 4; i += 1) await fixture.sync(profile)
      assert.equal(asked(), 2)
      assert.equal((await fixture.progress(profile, 'list')).last_reason, 'not_found')
      assert.equal((await fixture.progress(profile, 'other')).state, 'done')
    })
  })

  test('a delivery is due where destinations are set', async () => {
    const { record, nextDay, profile } = await connected('delivered')
    await fixture.sql(
      `insert into delivery_cursor (shard, profile_id, destination_id, seq, written, backfill_until, generation,
         scheduled, revision, acked_revision, epoch, erase, dead, redrive, fails, rows)
       values ($1, $2, 'none', 0, 0, 0, 0, false, 0, 0, 0, false, false, false, 0, 0)`,
      [keyOf(profile).shard, profile.id],
    )
    record.answer = { body: { id: 'ada', name: 'Delivered' } }
    await nextDay()
    assert.equal((await dueDeliveries(profile)).length, 1)
  })
})
