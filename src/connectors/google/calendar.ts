import { token } from '#kit/endpoints/checkpoint.ts'
import { type Endpoint, endpoint } from '#kit/endpoints/endpoint.ts'
import { cursorPages } from '#kit/endpoints/pages.ts'
import { kind, plainText, timeOf } from '#kit/read/kind.ts'
import { webAddress } from './addresses.ts'
import { CALENDAR } from './scopes.ts'

interface Calendar {
  id: string
  summary?: string
  summaryOverride?: string
  description?: string
  location?: string
  timeZone?: string
  accessRole?: string
  primary?: boolean
  deleted?: boolean
}

interface Person {
  email?: string
  displayName?: string
  self?: boolean
  /** A room or a device. */
  resource?: boolean
}

interface Moment {
  /** A whole day. */
  date?: string
  dateTime?: string
}

interface Event {
  id: string
  /** `cancelled`: deleted, or the instance of a recurring event that does not take place; has little more than an id. */
  status?: string
  summary?: string
  description?: string
  location?: string
  htmlLink?: string
  hangoutLink?: string
  creator?: Person
  organizer?: Person
  attendees?: Person[]
  start?: Moment
  end?: Moment
  recurrence?: string[]
  recurringEventId?: string
}

/** An event as stored: the same event has the same id in every calendar in which it is. */
interface StoredEvent extends Event {
  calendar: { id: string; name?: string | undefined }
}

interface Listing<Raw> {
  items?: Raw[]
  nextPageToken?: string
  nextSyncToken?: string
}

const calendar = kind<Calendar>({
  name: 'calendar',
  id: ({ id }) => id,
  deleted: ({ deleted }) => deleted === true,
  map: {
    name: ({ summaryOverride, summary }) => summaryOverride ?? summary,
    title: ({ summaryOverride, summary }) => summaryOverride ?? summary,
    text: ({ description }) => description,
    place: ({ location }) => location,
  },
})

const momentOf = (moment: Moment | undefined) => timeOf(moment?.dateTime ?? moment?.date)
/** The person's own account is named by `self`; it has the profile's id. */
const idOf = (person: Person | undefined) => (person?.self === true ? undefined : person?.email?.toLowerCase())

const event = kind<StoredEvent>({
  name: 'event',
  id: ({ calendar: { id: calendarId }, id }) => (id ? `${calendarId}/${id}` : ''),
  at: ({ start }) => momentOf(start),
  deleted: ({ status }) => status === 'cancelled',
  participants: ({ organizer, creator, attendees }) => ({
    author: idOf(organizer ?? creator),
    others: attendees?.filter((one) => one?.resource !== true).map(idOf),
  }),
  map: {
    name: ({ summary }) => summary,
    title: ({ summary }) => summary,
    text: ({ description }) => plainText(description),
    url: ({ htmlLink }) => webAddress(htmlLink),
    place: ({ location }) => location,
    author: ({ organizer, creator }) => {
      const { displayName, email } = organizer ?? creator ?? {}
      return displayName === undefined && email === undefined ? undefined : { name: displayName ?? email }
    },
    starts: ({ start }) => momentOf(start),
    ends: ({ end }) => momentOf(end),
    attendees: ({ attendees }) =>
      attendees
        ?.filter((one) => one?.resource !== true)
        .map((one) => one?.displayName ?? one?.email)
        .filter((name) => name !== undefined && name !== null),
  },
})

const pages = cursorPages({
  param: 'pageToken',
  from: ({ nextPageToken }: Listing<unknown>) => nextPageToken,
  size: { param: 'maxResults', value: 250 },
})

/** Calendars of which nothing but busy times is shown have no events to read. */
const READABLE = new Set(['owner', 'writer', 'reader'])

export const calendars: Record<string, Endpoint> = {
  calendars: endpoint<Listing<Calendar>, Calendar>({
    path: '/calendar/v3/users/me/calendarList',
    query: { showHidden: 'true' },
    items: ({ items }) => items,
    kind: calendar,
    types: [],
    pages,
    every: '6h',
    class: 'personal',
    deletes: 'all',
    scope: [CALENDAR],
  }),
  /**
   * A recurring event is one record with its rule (`recurrence`); instances that differ from it are records of their own. Each
   * calendar has its sync token. A token that has ended restarts this calendar only.
   */
  events: endpoint<Listing<Event>, StoredEvent, Calendar>({
    each: 'calendars',
    where: ({ accessRole = 'reader' }) => READABLE.has(accessRole),
    path: '/calendar/v3/calendars/{parent}/events',
    query: { singleEvents: 'false' },
    items: ({ items }, { parent }) =>
      items?.map((one) => ({
        ...one,
        calendar: { id: parent.id, name: parent.record.summaryOverride ?? parent.record.summary },
      })),
    kind: event,
    types: ['events'],
    pages,
    checkpoint: token({ param: 'syncToken', from: ({ nextSyncToken }: Listing<Event>) => nextSyncToken }),
    every: '15m',
    class: 'personal',
    deletes: 'all',
    scope: [CALENDAR],
  }),
}
