import { isRepeated } from '#kit/ical/series.ts'
import { kind } from '#kit/read/kind.ts'
import type { Member } from '../members.ts'
import { type Attendee, type CalendarEvent, partsOf } from './event.ts'

/** One calendar object: an event, with the occurrences that differ from its rule. Or one occurrence of a repeated event. */
export interface CalendarObject extends Partial<Member> {
  /** The object as the server sent it. */
  ical?: string
  /** What it says; missing for a task. */
  event?: CalendarEvent | undefined
  /** Of an occurrence: the id of its series, and its time by the rule of that. */
  series?: string
  recurrence_id?: string
}

/** Whether it takes place more than once: then its occurrences are items of their own. */
export function isSeries({ event, ical = '' }: CalendarObject): boolean {
  if (event?.rrule !== undefined) return true
  // Dates without a rule are rare, and those of a time zone do not count.
  return event !== undefined && /RDATE/i.test(ical) && isRepeated(partsOf(ical)?.main.lines ?? [])
}

/** People are known by their address, in any case of letters. */
const idOf = (attendee: Attendee | undefined): string | undefined => attendee?.email?.toLowerCase()

const isWebAddress = (text: string | undefined): boolean => /^https?:\/\//i.test(text ?? '')

export const event = kind<CalendarObject>({
  version: 1,
  name: 'event',
  // An endpoint must not return one without an id; the quarantine takes it.
  id: ({ id }) => id ?? '',
  at: (object) => object.event?.starts,
  // A series is not at one time; its occurrences are the events.
  types: (object) => (object.event === undefined || isSeries(object) ? [] : ['events']),
  deleted: ({ gone }) => gone === true,
  participants: (object) => ({
    author: idOf(object.event?.organizer),
    others: object.event?.attendees?.map(idOf),
  }),
  place: (object) => {
    const { lat, lng } = object.event?.geo ?? {}
    return lat === undefined || lng === undefined ? undefined : { lat, lng }
  },
  map: {
    title: (object) => object.event?.title,
    text: (object) => object.event?.description,
    place: (object) => object.event?.location,
    url: (object) => (isWebAddress(object.event?.url) ? object.event?.url : undefined),
    starts: (object) => object.event?.starts,
    ends: (object) => object.event?.ends,
    series: ({ series }) => series,
    attendees: (object) => object.event?.attendees?.flatMap(({ email, name }) => email ?? name ?? []),
    author: (object) => {
      const { organizer } = object.event ?? {}
      return organizer && { name: organizer.name ?? organizer.email }
    },
  },
  card: { location: (object) => object.event?.location, description: (object) => object.event?.description },
})
