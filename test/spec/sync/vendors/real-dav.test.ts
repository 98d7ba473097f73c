import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { furnishContacts, furnishEvents, putCard, putEvent } from '../../../connectors/dav-fixture.ts'
import { type App, makeApp } from '../../../harness/app.ts'
import { LOOPBACK_TYPED } from '../../../harness/loopback.ts'
import type { Item } from '../../../harness/read.ts'
import { get, send } from '../../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl } from '../../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../../harness/start.ts'
import { synced } from '../../../harness/sync.ts'
import { until } from '../../../harness/until.ts'
import { ADA, type RunningRadicale, radicaleMissing, startRadicale } from '../../../real/radicale.ts'
import { entryOf } from '../../sign-in/fixture.ts'
import { typeIn } from '../../sign-in/typed-fixture.ts'

const yearOf = (ms: unknown): number => new Date(Number(ms)).getUTCFullYear()

type Mapped = Item & { map: Record<string, unknown> }

suite('CardDAV and CalDAV with Radicale', { skip: radicaleMissing() }, () => {
  let tributary: Tributary
  let server: RunningRadicale
  /** Without keys for any service. */
  let app: App
  before(async () => {
    server = await startRadicale()
    await furnishContacts(server, 25)
    await furnishEvents(server, 55)
    tributary = await startTributary({ ...LOOPBACK_TYPED })
    app = await makeApp(tributary, { name: 'Diary', redirectUris: [REDIRECT] })
  })
  after(async () => {
    await tributary?.stop()
    await server?.close()
  })

  const at = () => ({ tributary, app })

  async function submit(service: string, values: Record<string, string>) {
    const browser = newBrowser()
    const page = await browser.open(startUrl(at(), service, {}, app))
    return typeIn(browser, page, { server: server.url, ...values })
  }

  async function signIn(service: string, values: Record<string, string> = {}): Promise<string> {
    const back = await submit(service, { ...ADA, ...values })
    assert.ok(back.stopped, back.body)
    const { access_token: token } = await redeemed(at(), codeOf(new URL(back.url)))
    return token
  }

  async function read(token: string, path: string): Promise<Mapped[]> {
    const { text } = await get(at(), `${path}?limit=1000&map=true&until=4102444800000`, token)
    return JSON.parse(text) as Mapped[]
  }
  const names = async (token: string, path: string) =>
    (await read(token, path)).map(({ map }) => String(map['title'] ?? map['name']))
  const nextRun = async (token: string, service: string) => {
    const earlier = await synced(at(), token, service)
    const afterMs = Math.max(...Object.values(earlier).map(({ last_run: last = 0 }) => last))
    await send(at(), 'POST', `/profiles/${service}/sync`, { token })
    return synced(at(), token, service, { afterMs })
  }
  const stateOf = async (token: string, service: string) =>
    entryOf((await get(at(), '/profiles?full=true', token)).body, service)['state']

  test('contacts: sign-in on our page, two address books, changes and deletions', async () => {
    const token = await signIn('carddav')
    const entry = entryOf((await get(at(), '/profiles?full=true', token)).body, 'carddav')
    assert.deepEqual(
      [entry['id'], entry['handle']],
      [encodeURIComponent(`ada@${new URL(server.url).host}`), 'ada'],
      'the principal, at the server that was typed',
    )
    const progress = await synced(at(), token, 'carddav')
    for (const [name, { last_error: error }] of Object.entries(progress)) assert.equal(error, undefined, name)
    assert.deepEqual((await names(token, '/services/carddav/addressbooks')).sort(), ['Family', 'Work'])
    const contacts = await read(token, '/types/contacts')
    assert.equal(contacts.length, 26)
    const grace = contacts.find(({ map }) => map['name'] === 'Grace Hopper')
    const { email, phone, photo, url, nickname, text, place } = grace?.map ?? {}
    assert.deepEqual(
      { email, phone, photo, url, nickname, text, place },
      {
        email: 'grace@navy.example',
        phone: '+1 555 0100',
        photo: 'https://grace.example/photo.jpg',
        url: 'https://grace.example/',
        nickname: 'Amazing Grace',
        text: 'First line\nsecond line',
        place: '1 Main St, Apt 2, Arlington, VA, 22201, USA',
      },
    )
    await putCard(server, 'team', 'p3', 'Renamed 3')
    await putCard(server, 'family', 'new', 'Somebody new')
    await server.dav('DELETE', '/ada/team/p4.vcf')
    await nextRun(token, 'carddav')
    const changed = await names(token, '/types/contacts')
    assert.equal(changed.length, 26)
    for (const name of ['Renamed 3', 'Somebody new']) assert.ok(changed.includes(name), `${name}: ${changed.join()}`)
    for (const name of ['Person 3', 'Person 4']) assert.ok(!changed.includes(name), name)

    await server.dav('DELETE', '/ada/family/')
    await nextRun(token, 'carddav')
    assert.deepEqual(await names(token, '/services/carddav/addressbooks'), ['Work'])
    assert.ok(!(await names(token, '/types/contacts')).includes('Grace Hopper'), 'a deleted book takes its cards along')
  })

  test('events: zones, days, participants; a token that the server forgot reads the calendar anew', async () => {
    const token = await signIn('caldav', { server: `${server.url}/ada/` })
    await synced(at(), token, 'caldav')
    const events = await read(token, '/types/events')
    // The party is each year: of a year back and ahead there are two or three.
    assert.equal(events.filter(({ map }) => map['title'] !== 'Party').length, 56)
    const named = (title: string) => events.find(({ map }) => map['title'] === title)?.map ?? {}
    const { starts, ends, place, ll, attendees, participants } = named('Party')
    assert.deepEqual(
      { starts, ends, place, ll, attendees, people: Object.keys(participants as object).map((id) => id.split('@')[0]) },
      {
        starts: Date.UTC(yearOf(starts), 6, 1, 17),
        ends: Date.UTC(yearOf(starts), 6, 1, 20),
        place: 'The garden, behind the house',
        ll: [52.52, 13.405],
        attendees: ['Grace@navy.example'],
        people: ['ada', 'grace'],
      },
    )
    assert.deepEqual(
      [named('Holiday')['starts'], named('Holiday')['ends']],
      [Date.UTC(2026, 11, 24), Date.UTC(2026, 11, 27)],
    )
    assert.ok(server.forgetTokens() > 0)
    await server.dav('DELETE', '/ada/office/e7.ics')
    await putEvent(server, 'office', 'e8', 'Moved 8')
    await nextRun(token, 'caldav')
    const after = await names(token, '/types/events')
    assert.equal(after.filter((title) => title !== 'Party').length, 55)
    assert.ok(after.includes('Moved 8') && !after.includes('Meeting 7') && after.includes('Party'))
    const { body } = await get(at(), '/profiles/caldav/sync', token)
    assert.deepEqual(Object.keys(body).sort(), ['calendars', 'events', 'occurrences'])
  })

  test('repeated events: each occurrence in its time window, moved and cancelled ones, once; deleted with their series', async () => {
    const soon = new Date(Date.now() + 86_400_000)
    const local = (days: number, time: string) =>
      `${new Date(soon.getTime() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}T${time}`
    const zone = ';TZID=W. Europe Standard Time'
    const changed = (...lines: string[]) => [
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:standup',
      'DTSTAMP:20260401T000000Z',
      ...lines,
    ]
    await putEvent(server, 'home', 'standup', 'Standup', [
      `DTSTART${zone}:${local(0, '090000')}`,
      `DTEND${zone}:${local(0, '091500')}`,
      'RRULE:FREQ=DAILY;COUNT=5',
      ...changed(
        `RECURRENCE-ID${zone}:${local(1, '090000')}`,
        `DTSTART${zone}:${local(1, '110000')}`,
        'SUMMARY:Standup late',
      ),
      ...changed(
        `RECURRENCE-ID${zone}:${local(2, '090000')}`,
        `DTSTART${zone}:${local(2, '090000')}`,
        'STATUS:CANCELLED',
      ),
    ])
    const token = await signIn('caldav')
    await synced(at(), token, 'caldav')
    const window = async () => {
      const { text, headers } = await get(
        at(),
        `/types/events?since=${Date.now()}&until=${Date.now() + 14 * 86_400_000}&map=true&limit=100&count=true`,
        token,
      )
      const found = (JSON.parse(text) as Mapped[]).filter(({ map }) => String(map['title']).startsWith('Standup'))
      return { found, total: Number(headers.get('x-total-count')) }
    }
    const { found, total } = await window()
    assert.deepEqual(found.map(({ map }) => String(map['title'])).toSorted(), [
      'Standup',
      'Standup',
      'Standup',
      'Standup late',
    ])
    assert.deepEqual([...new Set(found.map(({ map }) => map['series']))], ['home/standup.ics'])
    assert.equal(total, 4, 'the series itself is not counted')
    const { body } = await get(at(), '/changes', token)
    await nextRun(token, 'caldav')
    const again = await get(at(), `/changes?cursor=${encodeURIComponent(String(body['cursor']))}`, token)
    assert.deepEqual(again.body['changes'], [], 'a second sync changes nothing')
    await server.dav('DELETE', '/ada/home/standup.ics')
    await nextRun(token, 'caldav')
    await until('its occurrences are deleted', async () => (await window()).found.length === 0)
  })

  test('a wrong password is told on the page; one that was changed later ends in needs_auth', async () => {
    const refused = await submit('carddav', { ...ADA, password: 'wrong-password' })
    assert.equal(refused.stopped, false)
    assert.doesNotMatch(refused.body, /wrong-password/)
    const nothing = await submit('carddav', { ...ADA, server: tributary.url })
    assert.equal(nothing.stopped, false)
    assert.match(nothing.body, /There is nothing at this address/)
    const token = await signIn('carddav')
    await synced(at(), token, 'carddav')
    server.setPassword('ada', 'another-password')
    await send(at(), 'POST', '/profiles/carddav/sync', { token })
    await until('the profile needs a new sign-in', async () => (await stateOf(token, 'carddav')) === 'needs_auth')
    for (const line of tributary.logged) assert.doesNotMatch(line, /ada-password|another-password/)
    server.setPassword('ada', ADA.password)
  })
})
