import { fileUpload, type UploadedPage } from '#kit/auth/file.ts'
import { selfFromToken } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { type CalendarObject, event } from '../caldav/kinds.ts'
import { occurrencesEndpoint } from '../caldav/occurrences.ts'
import { type Card, contact } from '../carddav/kinds.ts'
import { createReader } from './read-files.ts'

const pages = cursorPages({ param: 'after', from: ({ next }: UploadedPage<unknown>) => next })

/** Files that calendars and address books export. Nothing is called: a person or an app uploads them. */
export const files = defineConnector({
  service: 'files',
  title: 'Calendar and contact files',
  docs: 'https://www.rfc-editor.org/rfc/rfc5545',
  category: 'files',
  auth: fileUpload({ endings: ['.ics', '.ical', '.ifb', '.vcf', '.vcard'], reader: createReader }),
  // Never called; the name is reserved for this (RFC 6761).
  api: { baseUrl: 'https://files.invalid' },
  self: selfFromToken(),
  endpoints: {
    events: endpoint<UploadedPage<CalendarObject>, CalendarObject>({
      path: '/events',
      items: ({ records }) => records,
      pages,
      kind: event,
      types: ['events'],
      every: '1d',
      class: 'core',
    }),
    occurrences: occurrencesEndpoint('events', { class: 'core' }),
    contacts: endpoint<UploadedPage<Card>, Card>({
      path: '/contacts',
      items: ({ records }) => records,
      pages,
      kind: contact,
      types: ['contacts'],
      every: '1d',
      class: 'core',
    }),
  },
})
