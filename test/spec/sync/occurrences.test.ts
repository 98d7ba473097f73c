import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { event } from '#connectors/dav/caldav/kinds.ts'
import { occurrencesEndpoint } from '#connectors/dav/caldav/occurrences.ts'
import { rereadPage } from '#flows/sync/reread/reread-profiles.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { outdatedProfiles } from '#store/items/reread.ts'
import { type Fixture, openFixture } from './engine-fixture.ts'

const DAY_MS = 86_400_000

interface Calendar {
  events: object[]
}

let fixture: Fixture
let number = 0
before(async () => {
  fixture = await openFixture()
})
after(() => fixture.close())

const today = () => Math.floor(fixture.clock.now() / DAY_MS) * DAY_MS
const day = (offset: number, hour = 9) =>
  `${new Date(today() + offset * DAY_MS + hour * 3_600_000).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`
const ical = (...events: string[][]) =>
  ['BEGIN:VCALENDAR', ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']), 'END:VCALENDAR'].join(
    '\r\n',
  )
const objectOf = (id: string, ...events: string[][]) => {
  const rrule = events[0]!.find((line) => line.startsWith('RRULE:'))?.slice('RRULE:'.length)
  return { id, ical: ical(...events), event: { title: id, starts: today(), ...(rrule === undefined ? {} : { rrule }) } }
}

/** A service with one list of calendar objects, which the test changes. */
async function calendarService(...events: object[]) {
  number += 1
  const name = `calendar-${number}`
  const listed: Calendar = { events }
  const connector = await fixture.use(name, {
    events: endpoint<Calendar, object>({
      path: `/${name}`,
      items: (body) => body.events,
      kind: event,
      types: ['events'],
      every: '7d',
      class: 'core',
      deletes: 'all',
    }),
    occurrences: occurrencesEndpoint('events', { class: 'core' }),
  })
  fixture.service.on(`/${name}`, () => ({ body: listed }))
  const profile = await fixture.connect(connector)
  await fixture.sync(profile)
  return { listed, profile, calls: () => fixture.service.requestsTo(`/${name}`).length }
}

const timesOf = async (profile: Profile) =>
  [...(await fixture.stored(profile, 'occurrences')).values()].map(({ at }) => at).toSorted((a, b) => a - b)
const seqOf = async ({ shard, id }: Profile) =>
  (
    await fixture.sql<{ seq: number }>('select seq from profile_sync where shard = $1 and profile_id = $2', [shard, id])
  )[0]!.seq
const typesOf = async ({ shard, id }: Profile, endpointName: string) =>
  (
    await fixture.sql<{ types: number }>(
      'select types from item where shard = $1 and profile_id = $2 and endpoint = $3',
      [shard, id, endpointName],
    )
  ).map(({ types }) => types !== 0)
/** What is due on that day, without a request for more. */
const runOn = async (profile: Profile, offsetMs: number) => {
  fixture.clock.offsetMs = offsetMs
  await fixture.run(profile)
}

suite('occurrences of repeated events', () => {
  test('a year back and ahead, as items of their own; the series is not at a time; a second sync changes nothing', async () => {
    const { profile } = await calendarService(
      objectOf('weekly', ['UID:1', `DTSTART:${day(-1000)}`, 'RRULE:FREQ=DAILY;INTERVAL=7', 'SUMMARY:Choir']),
      objectOf('once', ['UID:2', `DTSTART:${day(3)}`, 'SUMMARY:Once']),
    )
    const times = await timesOf(profile)
    assert.ok(times.length >= 104 && times.length <= 105, String(times.length))
    assert.ok(times[0]! >= today() - 366 * DAY_MS && times.at(-1)! < today() + 367 * DAY_MS)
    assert.ok(times.every((time, at) => at === 0 || 7 * DAY_MS === time - times[at - 1]!))
    const [first] = [...(await fixture.stored(profile, 'occurrences')).values()]
    const { id, series, event: shown } = JSON.parse(first!.data) as Record<string, unknown>
    assert.match(String(id), /^weekly\/\d{8}T090000Z$/)
    assert.deepEqual([series, (shown as { title: string }).title], ['weekly', 'Choir'])
    assert.deepEqual(new Set(await typesOf(profile, 'events')), new Set([false, true]))
    assert.ok((await typesOf(profile, 'occurrences')).every(Boolean))
    const before = await seqOf(profile)
    await fixture.sync(profile)
    assert.equal(await seqOf(profile), before)
  })

  test('moved, cancelled and excluded ones; a change of the series changes all, its end removes all', async () => {
    const lines = ['UID:1', `DTSTART:${day(1)}`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=6', 'SUMMARY:Class']
    const { profile, listed } = await calendarService(
      objectOf(
        'class',
        [...lines, `EXDATE:${day(2)}`],
        ['UID:1', `RECURRENCE-ID:${day(3)}`, `DTSTART:${day(3, 15)}`, 'DURATION:PT2H', 'SUMMARY:Class, later'],
        ['UID:1', `RECURRENCE-ID:${day(4)}`, `DTSTART:${day(4)}`, 'STATUS:CANCELLED'],
      ),
    )
    const at = (offset: number, hour = 9) => today() + offset * DAY_MS + hour * 3_600_000
    assert.deepEqual(await timesOf(profile), [at(1), at(3, 15), at(5), at(6)])
    const moved = (await fixture.stored(profile, 'occurrences')).get(`class/${day(3)}`)
    assert.match(moved!.data, /Class, later/)
    const seq = await seqOf(profile)
    listed.events = [objectOf('class', [...lines.slice(0, -1), 'SUMMARY:Lesson'])]
    await fixture.sync(profile)
    assert.deepEqual(
      await timesOf(profile),
      [1, 2, 3, 4, 5, 6].map((offset) => at(offset)),
    )
    assert.ok([...(await fixture.stored(profile, 'occurrences')).values()].every(({ data }) => data.includes('Lesson')))
    assert.equal(await seqOf(profile), seq + 7, 'the series and each of its occurrences')
    listed.events = []
    await fixture.sync(profile)
    assert.deepEqual(await timesOf(profile), [], 'however many these are of all')
    const gone = await fixture.sql('select 1 from item_tombstone where profile_id = $1 and endpoint = $2', [
      profile.id,
      'occurrences',
    ])
    assert.equal(gone.length, 6)
  })

  test('the horizon moves each day without a call, also after it stood still', async () => {
    const { profile, calls } = await calendarService(
      objectOf('daily', ['UID:1', `DTSTART:${day(-500)}`, 'RRULE:FREQ=DAILY', 'SUMMARY:Walk']),
    )
    const [before, called] = [await timesOf(profile), calls()]
    assert.equal(before.length, 733)
    await runOn(profile, 2 * DAY_MS)
    const later = await timesOf(profile)
    fixture.clock.offsetMs = 0
    assert.deepEqual([later[0]! - before[0]!, later.length], [2 * DAY_MS, 733])
    assert.equal(calls(), called)
    assert.equal((await fixture.progress(profile, 'occurrences')).last_error ?? null, null)
  })

  test('what the release before stored gets its occurrences, though nothing else makes the profile due', async () => {
    const { profile, calls } = await calendarService(
      objectOf('daily', ['UID:1', `DTSTART:${day(1)}`, 'RRULE:FREQ=DAILY;COUNT=5', 'SUMMARY:Walk']),
    )
    const called = calls()
    const key = [profile.shard, profile.id]
    const own = 'where shard = $1 and profile_id = $2'
    for (const statement of [
      `delete from item ${own} and endpoint = 'occurrences'`,
      `delete from endpoint_sync ${own} and endpoint = 'occurrences'`,
      `update endpoint_sync set next_run_at = 9e15 ${own}`,
      `update profile_sync set next_run_at = 9e15, reader_version = 0, self_read_at = 9e15 ${own}`,
    ])
      await fixture.sql(statement, key)
    const [outdated] = await outdatedProfiles(
      fixture.deps.database,
      [{ service: profile.service, version: 1 }],
      1,
      fixture.clock.now(),
    )
    while (await rereadPage(fixture.deps, outdated!));
    const [due] = await fixture.sql<{ due: boolean }>(`select next_run_at <= $3 as due from profile_sync ${own}`, [
      ...key,
      fixture.clock.now(),
    ])
    assert.equal(due!.due, true)
    await fixture.run(profile)
    assert.equal((await timesOf(profile)).length, 5)
    assert.equal(calls(), called)
  })

  test('a series each second for ever, thousands of lists and dates, rules without a time: bounded', async () => {
    const many = (count: number, from = 1) => Array.from({ length: count }, (_, i) => i + from).join(',')
    const bombs = [
      ['RRULE:FREQ=SECONDLY', `DTSTART:${day(-20_000)}`],
      ['RRULE:FREQ=SECONDLY;COUNT=999999999999', 'DTSTART:16010101T000000Z'],
      ['RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30', `DTSTART:${day(-20_000)}`],
      ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5', 'DTSTART:00010101T000000Z'],
      [
        `RRULE:FREQ=YEARLY;BYYEARDAY=${many(366)};BYHOUR=${many(24, 0)};BYMINUTE=${many(60, 0)};BYSECOND=${many(60, 0)};BYSETPOS=-1`,
        `DTSTART:${day(-300)}`,
      ],
      [
        `RRULE:FREQ=DAILY;BYHOUR=${many(24, 0)};BYMINUTE=${many(60, 0)};BYSECOND=${many(60, 0)}`,
        `DTSTART:${day(-9000)}`,
      ],
      ['RRULE:FREQ=DAILY', `DTSTART:${day(-10)}`, ...Array.from({ length: 15_000 }, (_, i) => `EXDATE:${day(i)}`)],
      [`RDATE:${Array.from({ length: 40_000 }, (_, i) => day(i % 300, i % 24)).join(',')}`, `DTSTART:${day(-10)}`],
      ['RRULE:FREQ=DAILY;INTERVAL=0', `DTSTART:${day(-10)}`],
      [`RRULE:FREQ=DAILY;BYSETPOS=${many(5000)}`, `DTSTART:${day(-10)}`],
    ]
    const { profile } = await calendarService(
      ...bombs.map((lines, at) => objectOf(`bomb-${at}`, [`UID:${at}`, ...lines])),
      objectOf('good', ['UID:good', `DTSTART:${day(1)}`, 'RRULE:FREQ=DAILY;COUNT=3']),
    )
    const counts = Map.groupBy((await fixture.stored(profile, 'occurrences')).keys(), (id) => id.split('/')[0]!)
    for (const [id, found] of counts) assert.ok(found.length <= 1000, `${id}: ${found.length}`)
    assert.equal(counts.get('good')!.length, 3)
    assert.equal(counts.get('bomb-0')!.length, 1000)
    const soon = [...(await fixture.stored(profile, 'occurrences'))].find(([id]) => id.startsWith('bomb-0/'))![1].at
    assert.ok(soon >= today(), 'of many, those from today on')
    assert.equal(counts.get('bomb-2'), undefined, 'there is no thirtieth of February')
    assert.equal((await fixture.progress(profile, 'occurrences')).last_error ?? null, null)
  })

  test('more series than are looked at together', async () => {
    const { profile } = await calendarService(
      ...Array.from({ length: 120 }, (_, at) =>
        objectOf(`s${at}`, [`UID:${at}`, `DTSTART:${day(at % 28)}`, 'RRULE:FREQ=WEEKLY;COUNT=20']),
      ),
    )
    assert.equal((await timesOf(profile)).length, 2400)
  })
})
