import { defineConnector } from '#kit/connector.ts'
import { endpoint } from '#kit/endpoint.ts'
import { fileUpload, type UploadedPage } from '#kit/file.ts'
import { cursorPages } from '#kit/pages.ts'
import { selfFromToken } from '#kit/self.ts'
import { type CalendarObject, event } from '../caldav/kinds.ts'
import { type Card, contact } from '../carddav/kinds.ts'
import { createReader } from './read-files.ts'

const pages = cursorPages({ param: 'after', from: ({ next }: UploadedPage<unknown>) => next })

/** Files that calendars and address books export. Nothing is called: a person or an app uploads them. */
export const files = defineConnector({
  service: 'files',
  title: 'Calendar and contact files',
  docs: 'https://www.rfc-editor.org/rfc/rfc5545',
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
