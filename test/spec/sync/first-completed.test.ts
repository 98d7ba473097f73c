import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Fixture, notes, openFixture, someNotes } from './engine-fixture.ts'

suite('sync.first_completed', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
    await fixture.sql(
      `insert into destination (id, app_id, name, kind, sealed, filter, schedule, options, wants_events, state, fails,
         next_attempt_at, created_at, updated_at)
       values ('dst_events', $1, 'events', 'webhook', '', '{*}', 'on_change', '{"events": ["sync.first_completed"]}', true,
         'active', 0, 0, 0, 0)`,
      [fixture.appId],
    )
  })
  after(() => fixture.close())

  const eventsOf = async ({ id }: { id: string }) => {
    const rows = await fixture.sql<{
      type: string
      data: { profile: { id: string }; items: number; unread: unknown[] }
    }>('select type, data from push_event order by id')
    return rows.filter(({ data }) => data.profile.id === id)
  }

  test('is queued when the first sync that failed half-way completes, and only once', async () => {
    const { service } = fixture
    let isBroken = true
    service.on('/one', () => ({ body: { notes: someNotes(3) } }))
    service.on('/two', () => (isBroken ? { status: 500, body: {} } : { body: { notes: someNotes(2, 10) } }))
    const connector = await fixture.use('halfway', { one: notes('/one'), two: notes('/two') })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile, 'one')).size, 3)
    assert.deepEqual(await eventsOf(profile), [])
    isBroken = false
    await fixture.sync(profile)
    const events = await eventsOf(profile)
    assert.deepEqual(
      events.map(({ type, data: { items, unread } }) => ({ type, items, unread })),
      [{ type: 'sync.first_completed', items: 5, unread: [] }],
    )
    await fixture.sync(profile)
    assert.equal((await eventsOf(profile)).length, 1)
    // Signing in again starts no second life.
    await fixture.connect(connector)
    await fixture.sync(profile)
    assert.equal((await eventsOf(profile)).length, 1)
  })

  test('does not wait for an endpoint that cannot be read, and names it', async () => {
    const { service } = fixture
    service.on('/one', () => ({ body: { notes: someNotes(1) } }))
    service.on('/gone', () => ({ status: 404, body: {} }))
    const profile = await fixture.connect(
      await fixture.use('partly', { one: notes('/one'), gone: notes('/gone') }),
      'ben',
    )
    await fixture.run(profile)
    const [event] = await eventsOf(profile)
    assert.deepEqual(event?.data.unread, [{ endpoint: 'gone', reason: 'not_found' }])
  })

  test('is not queued for profiles of earlier releases', async () => {
    fixture.service.on('/one', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(await fixture.use('older', { one: notes('/one') }), 'eve')
    await fixture.sql('update profile_sync set first_completed_at = 0 where profile_id = $1', [profile.id])
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile, 'one')).size, 1)
    assert.deepEqual(await eventsOf(profile), [])
  })
})
