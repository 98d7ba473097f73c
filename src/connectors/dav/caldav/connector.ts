import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { type Collection, collectionsEndpoint, versionOf } from '../collections.ts'
import { type MembersOptions, memberPages, membersIn, prepareList, syncTokens } from '../members.ts'
import { syncCollection, XML_TYPE } from '../request-bodies.ts'
import { davAuth, davRecovery, davSelf } from '../server.ts'
import { readEvent } from './event.ts'
import { type CalendarObject, event } from './kinds.ts'
import { occurrencesEndpoint } from './occurrences.ts'

const EVENTS: MembersOptions = { report: 'cal:calendar-multiget', data: 'cal:calendar-data', batch: 50 }

/** Any server with CalDAV (RFC 4791), at an address that the person names. */
export const caldav = defineConnector({
  service: 'caldav',
  title: 'CalDAV',
  docs: 'https://www.rfc-editor.org/rfc/rfc4791',
  category: 'work',
  auth: davAuth({
    wellKnown: 'caldav',
    homeSet: 'cal:calendar-home-set',
    hint: 'For example https://cloud.example/remote.php/dav, https://caldav.icloud.com or https://caldav.fastmail.com.',
  }),
  api: {
    baseUrl: '{server}',
    // Many servers are small machines; none publishes a limit.
    limits: { person: { calls: 120, perS: 60 } },
    recovery: davRecovery,
  },
  self: davSelf,
  endpoints: {
    calendars: collectionsEndpoint('calendar'),
    events: endpoint<unknown, CalendarObject, Collection>({
      each: 'calendars',
      // Lists of tasks have no events.
      where: ({ components }) => components?.includes('VEVENT') ?? true,
      path: '/{parent}/',
      when: 'changed',
      version: versionOf,
      allEvery: '1d',
      method: 'REPORT',
      headers: { depth: '0' },
      body: { text: syncCollection(''), type: XML_TYPE },
      parse: 'xml',
      prepare: prepareList,
      pages: memberPages(EVENTS),
      checkpoint: syncTokens,
      items: (body, { parent }) => membersIn(body, parent.id, EVENTS, (ical) => ({ ical, event: readEvent(ical) })),
      kind: event,
      types: ['events'],
      every: '1h',
      class: 'personal',
      deletes: 'all',
    }),
    occurrences: occurrencesEndpoint('events', { class: 'personal' }),
  },
})
