import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setRules } from '#flows/sync/schedule/rules.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Fixture, type Note, notes, openFixture, someNotes } from './engine-fixture.ts'

const MINUTE_MS = 60_000

suite('intervals', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const nextIn = async (profile: Profile, name = 'list') =>
    (await fixture.progress(profile, name)).next_run - fixture.clock.now()
  /** Within the jitter of a tenth, and the duration of the test. */
  const about = (actual: number, expected: number) =>
    assert.ok(actual > expected * 0.9 - 3000 && actual < expected * 1.1 + 3000, `${actual} is not about ${expected}`)

  test('longer without changes, shorter with changes, between a minimum and a maximum', async () => {
    let list: Note[] = someNotes(1)
    const connector = await fixture.use('adaptive', { list: notes('/adaptive', { every: '40m' }) })
    fixture.service.on('/adaptive', () => ({ body: { notes: list } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    about(await nextIn(profile), 20 * MINUTE_MS)
    await fixture.sync(profile)
    about(await nextIn(profile), 30 * MINUTE_MS)
    await fixture.sync(profile)
    about(await nextIn(profile), 45 * MINUTE_MS)
    for (let silence = 0; silence < 12; silence += 1) await fixture.sync(profile)
    about(await nextIn(profile), 40 * 16 * MINUTE_MS)
    for (let count = 2; count < 12; count += 1) {
      list = someNotes(count)
      await fixture.sync(profile)
    }
    about(await nextIn(profile), 10 * MINUTE_MS)
  })

  test('a rule of the app is used as it is, for one endpoint or for all of a service', async () => {
    const connector = await fixture.use('ruled', { list: notes('/ruled'), other: notes('/ruled') })
    fixture.service.on('/ruled', () => ({ body: { notes: someNotes(1) } }))
    await setRules(fixture.deps, fixture.appId, { pace: { 'ruled/*': '3h', 'ruled/other': '5m' } }, 'test')
    const profile = await fixture.connect(connector)
    for (let run = 0; run < 3; run += 1) {
      await fixture.sync(profile)
      about(await nextIn(profile), 180 * MINUTE_MS)
      about(await nextIn(profile, 'other'), 5 * MINUTE_MS)
    }
  })

  test('a cron line with a time zone runs at that local hour, across both DST changes', async () => {
    const connector = await fixture.use('cron', { list: notes('/cron') })
    fixture.service.on('/cron', () => ({ body: { notes: someNotes(1) } }))
    await setRules(fixture.deps, fixture.appId, { pace: { 'cron/list': '30 6 * * * Europe/Berlin' } }, 'test')
    const profile = await fixture.connect(connector)
    for (const [now, next] of [
      ['2027-01-10T12:00:00Z', '2027-01-11T05:30:00Z'],
      ['2027-07-10T12:00:00Z', '2027-07-11T04:30:00Z'],
      ['2027-03-27T12:00:00Z', '2027-03-28T04:30:00Z'],
      ['2027-10-30T12:00:00Z', '2027-10-31T05:30:00Z'],
    ] as const) {
      fixture.clock.offsetMs = Date.parse(now) - Date.now()
      await fixture.sync(profile)
      assert.equal(
        new Date((await fixture.progress(profile, 'list')).next_run).toISOString(),
        `${next.slice(0, -1)}.000Z`,
      )
    }
    fixture.clock.offsetMs = 0
  })

  test('a profile of a service without endpoints is checked once a day, and finds new ones', async () => {
    const profile = await fixture.connect(await fixture.use('bare', {}))
    await fixture.run(profile)
    assert.equal((await fixture.reload(profile)).state, 'active')
    const [row] = await fixture.sql<{ next_run_at: number }>(
      'select next_run_at from profile_sync where profile_id = $1',
      [profile.id],
    )
    // The person's record is read again about once a day; people differ by up to a quarter.
    const inDays = (row!.next_run_at - fixture.clock.now()) / (24 * 60 * MINUTE_MS)
    assert.ok(inDays > 0.74 && inDays < 1.26, String(inDays))
    await fixture.use('bare', { list: notes('/bare') })
    fixture.service.on('/bare', () => ({ body: { notes: someNotes(1) } }))
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 1)
  })

  test('an invalid rule is refused with its name', async () => {
    for (const pace of [
      { 'ruled/list': '10s' },
      { 'ruled/list': 'sometimes' },
      { 'ruled/list': '367d' },
      { 'ruled/list': '9999999999999d' },
      { 'ruled/list': `${'1,'.repeat(100_000)}1 * * * *` },
      { 'ruled/nothing': '5m' },
      { 'nobody/list': '5m' },
      { 'ruled/list': '0 6 * * * Europe/Nowhere' },
      { 'ruled/list': '61 6 * * *' },
      { 'ruled/list': '* * * * * *' },
      { 'ruled/list': '0 0 31 2 *' },
    ])
      await assert.rejects(setRules(fixture.deps, fixture.appId, { pace }, 'test'), {
        reason: 'bad_body',
        message: new RegExp(`pace.${Object.keys(pace)[0]}`),
      })
  })

  test('an invalid cron expression is refused with the same sentence as in a push schedule', async () => {
    for (const [text, why] of [
      ['0 0 6 * * *', 'must have five fields and may have a time zone'],
      ['@daily', 'must have five fields and may have a time zone'],
      ['0 6 * * * Europe/Nowhere', 'names “Europe/Nowhere”, which is not a known time zone'],
      ['61 6 * * *', 'has an invalid field'],
    ] as const)
      await assert.rejects(setRules(fixture.deps, fixture.appId, { pace: { 'ruled/list': text } }, 'test'), {
        message: `pace.ruled/list: “${text}” is not an interval such as “15m”, and not a cron expression such as “0 6 * * * Europe/Berlin”: it ${why}.`,
      })
  })

  test('endpoints that an app switched off are not called, do not keep the profile from becoming active, and run when switched on', async () => {
    const connector = await fixture.use('classes', {
      list: notes('/classes', { class: 'core' }),
      mine: notes('/classes', { class: 'personal' }),
      others: notes('/classes', { class: 'social' }),
    })
    fixture.service.on('/classes', () => ({ body: { notes: someNotes(1) } }))
    await setRules(fixture.deps, fixture.appId, { off: ['social', 'personal'] }, 'test')
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/classes').length, 1)
    assert.equal((await fixture.progress(profile, 'mine')).state, 'off')
    assert.equal((await fixture.reload(profile)).state, 'active')
    // A requested sync or a reset does not switch them on.
    await fixture.sync(profile)
    assert.equal(fixture.service.requestsTo('/classes').length, 2)
    await setRules(fixture.deps, fixture.appId, { off: ['personal'] }, 'test')
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile, 'others')).size, 1)
    assert.equal((await fixture.progress(profile, 'mine')).state, 'off')
    await setRules(fixture.deps, fixture.appId, {}, 'test')
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile, 'mine')).size, 1)
  })

  test('an endpoint whose scope is not granted waits and states the reason; once granted, it runs', async () => {
    const connector = await fixture.use('scoped', {
      list: notes('/scoped', { scope: ['notes.read'] }),
      other: notes('/scoped', { scope: ['other.read'] }),
    })
    fixture.service.on('/scoped', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector, 'ada', { scope: 'notes.read profile' })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 1)
    assert.equal(fixture.service.requestsTo('/scoped').length, 1)
    const other = await fixture.progress(profile, 'other')
    assert.deepEqual([other.state, other.last_reason], ['off', 'scope_missing'], 'no failure')
    assert.match(other.last_error!, /other\.read/)
    assert.equal((await fixture.reload(profile)).state, 'active')
    const again = await fixture.connect(connector, 'ada', { scope: 'notes.read,other.read' })
    await fixture.run(again)
    assert.equal((await fixture.stored(profile, 'other')).size, 1)
    assert.equal((await fixture.progress(profile, 'other')).last_error, undefined)
  })

  test('the time of the last sync is stored', async () => {
    const connector = await fixture.use('when', { list: notes('/when') })
    fixture.service.on('/when', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector)
    assert.equal(profile.syncedAt, undefined)
    await fixture.run(profile)
    assert.ok(Math.abs((await fixture.reload(profile)).syncedAt! - fixture.clock.now()) < 10_000)
  })
})
