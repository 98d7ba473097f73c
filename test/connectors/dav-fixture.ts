import { caldav } from '#connectors/dav/caldav/connector.ts'
import { carddav } from '#connectors/dav/carddav/connector.ts'
import { verifyCredential } from '#upstream/sign-in.ts'
import { credentialOfTyped } from '#upstream/typed/credential.ts'
import { openUpstream } from '../harness/upstream.ts'
import { ADA, type RunningRadicale, startRadicale } from '../real/radicale.ts'
import type { Fixture } from './fixture.ts'

const KEY = { key: '', secret: '', overrides: {} }

/** A real server, with an address book or calendar of more than one batch, and an empty one. */
export async function openDavFixture(service: 'carddav' | 'caldav'): Promise<Fixture> {
  const opened = openUpstream()
  const { upstream } = opened
  let server: RunningRadicale | undefined
  const close = async () => {
    await opened.close()
    await server?.close()
  }
  try {
    server = await startRadicale()
    await (service === 'carddav' ? furnishContacts(server) : furnishEvents(server))
    const connector = service === 'carddav' ? carddav : caldav
    const values = { server: server.url, ...ADA }
    const typed = await credentialOfTyped(upstream, { connector, key: KEY, values })
    const { credential, self } = await verifyCredential(upstream, { connector, key: KEY, credential: typed })
    const caller = { upstream, connector, key: KEY, credential }
    return { caller, self, authorizeUrl: server.url, nowMs: () => upstream.clock.now(), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Two address books: one with more cards than fit into a batch. */
export async function furnishContacts(server: RunningRadicale, count = 45): Promise<void> {
  await server.createCollection('family', 'addressbook', 'Family')
  await server.createCollection('team', 'addressbook', 'Work')
  for (let i = 0; i < count; i++) await putCard(server, 'team', `p${i}`, `Person ${i}`)
  await putCard(server, 'family', 'grace', 'Grace Hopper', [
    'N:Hopper;Grace;;;',
    'NICKNAME:Amazing Grace',
    'ORG:US Navy;Research',
    'TITLE:Rear Admiral',
    'EMAIL;TYPE=home:grace@home.example',
    'EMAIL;TYPE=work,pref:grace@navy.example',
    'TEL;TYPE=cell:+1 555 0100',
    'ADR;TYPE=home:;;1 Main St\\, Apt 2;Arlington;VA;22201;USA',
    'URL:https://grace.example/',
    'PHOTO;VALUE=uri:https://grace.example/photo.jpg',
    'BDAY:1906-12-09',
    'NOTE:First line\\nsecond line',
    'REV:2026-05-01T10:00:00Z',
  ])
}

export async function putCard(
  server: RunningRadicale,
  book: string,
  name: string,
  title: string,
  lines: string[] = [`N:${title};;;;`, `EMAIL:${name}@people.example`],
): Promise<void> {
  const card = ['BEGIN:VCARD', 'VERSION:3.0', `UID:${name}`, `FN:${title}`, ...lines, 'END:VCARD', ''].join('\r\n')
  await server.dav('PUT', `/ada/${book}/${name}.vcf`, card, { 'content-type': 'text/vcard' })
}

/** Two calendars: one with more events than fit into a batch. */
export async function furnishEvents(server: RunningRadicale, count = 105): Promise<void> {
  await server.createCollection('home', 'calendar', 'Home')
  await server.createCollection('office', 'calendar', 'Work')
  for (let i = 0; i < count; i++) await putEvent(server, 'office', `e${i}`, `Meeting ${i}`)
  await putEvent(server, 'home', 'party', 'Party', [
    'DTSTART;TZID=Europe/Berlin:20260701T190000',
    'DURATION:PT3H',
    'LOCATION:The garden\\, behind the house',
    'GEO:52.52;13.405',
    'DESCRIPTION:Bring a cake',
    'URL:https://party.example/',
    'RRULE:FREQ=YEARLY',
    'ORGANIZER;CN=Ada:mailto:ada@people.example',
    'ATTENDEE;CN="Hopper, Grace";PARTSTAT=ACCEPTED:mailto:Grace@navy.example',
  ])
  await putEvent(server, 'home', 'holiday', 'Holiday', ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'])
}

export async function putEvent(
  server: RunningRadicale,
  calendar: string,
  name: string,
  title: string,
  lines: string[] = ['DTSTART:20260501T100000Z', 'DTEND:20260501T110000Z'],
): Promise<void> {
  const event = [`UID:${name}`, 'DTSTAMP:20260401T000000Z', `SUMMARY:${title}`, ...lines]
  const object = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', 'BEGIN:VEVENT', ...event, 'END:VEVENT']
  await server.dav('PUT', `/ada/${calendar}/${name}.ics`, [...object, 'END:VCALENDAR', ''].join('\r\n'), {
    'content-type': 'text/calendar',
  })
}
