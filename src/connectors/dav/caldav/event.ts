import type { Place } from '#kit/read/kind.ts'
import { type ContentLine, unescaped } from '../content-lines.ts'
import { type CalendarComponent, componentsIn } from './calendar-object.ts'
import { durationMs, type EventTime, eventTime, type ZoneNames } from './event-time.ts'
import { zoneNamed } from './zones.ts'

export interface Attendee {
  email?: string
  name?: string
  /** `accepted`, `declined`, `tentative`, `needs-action`. */
  status?: string
}

/** What a calendar object says about an event. */
export interface CalendarEvent {
  uid?: string
  title?: string
  description?: string
  location?: string
  geo?: Partial<Place>
  url?: string
  /** In epoch milliseconds. Days without a time begin and end at midnight UTC. */
  starts?: number
  ends?: number
  all_day?: true
  zone?: string
  /** The rule of a repeated event, as the calendar says it. */
  rrule?: string
  status?: string
  organizer?: Attendee
  attendees?: Attendee[]
  /** Occurrences that differ from the rule: they are in the text only. */
  exceptions?: number
  changed?: number
}

/** Limit: attendees of an event that are read; further ones are ignored. */
const MAX_ATTENDEES = 200
const DAY_MS = 86_400_000

/** Reads the event of a calendar object (RFC 5545); undefined if it is a task or something else. */
export function readEvent(ical: string): CalendarEvent | undefined {
  const components = componentsIn(ical)
  const events = components.filter(({ name }) => name === 'VEVENT')
  const isException = ({ lines }: CalendarComponent) => lines.some(({ name }) => name === 'RECURRENCE-ID')
  const main = events.find((one) => !isException(one)) ?? events[0]
  if (main === undefined) return undefined
  const { lines } = main
  const line = (name: string) => lines.find((one) => one.name === name)
  const text = (name: string) => nonEmpty(unescaped(line(name)?.value ?? ''))
  const zones = zoneNames(components)
  const starts = eventTime(line('DTSTART'), zones)
  const organizer = line('ORGANIZER')
  const exceptions = events.filter((one) => one !== main).length
  return withoutUndefined({
    uid: text('UID'),
    title: text('SUMMARY'),
    description: text('DESCRIPTION'),
    location: text('LOCATION'),
    geo: geoOf(line('GEO')),
    url: text('URL'),
    starts: starts?.ms,
    ends: endOf(starts, eventTime(line('DTEND'), zones), durationMs(line('DURATION')?.value.trim())),
    all_day: starts?.isDay === true ? true : undefined,
    zone: starts?.zone,
    rrule: nonEmpty(line('RRULE')?.value ?? ''),
    status: text('STATUS')?.toLowerCase(),
    organizer: organizer && attendeeOf(organizer),
    attendees: lines
      .filter(({ name }) => name === 'ATTENDEE')
      .slice(0, MAX_ATTENDEES)
      .map(attendeeOf),
    exceptions: exceptions === 0 ? undefined : exceptions,
    changed: (eventTime(line('LAST-MODIFIED'), zones) ?? eventTime(line('DTSTAMP'), zones))?.ms,
  })
}

/** Zones that the object describes under a name of its own. */
function zoneNames(components: CalendarComponent[]): ZoneNames {
  return new Map(
    components.flatMap(({ name, lines }) => {
      if (name !== 'VTIMEZONE') return []
      const value = (of: string) => lines.find((one) => one.name === of)?.value.trim()
      const [id, zone] = [value('TZID'), zoneNamed(value('X-LIC-LOCATION'))]
      return id === undefined || zone === undefined ? [] : [[id, zone] as const]
    }),
  )
}

function endOf(start: EventTime | undefined, end: EventTime | undefined, duration: number | undefined) {
  if (end !== undefined || start === undefined) return end?.ms
  return duration === undefined ? start.ms + (start.isDay ? DAY_MS : 0) : start.ms + duration
}

function geoOf(line: ContentLine | undefined): Place | undefined {
  const [lat = NaN, lng = NaN] = (line?.value ?? '')
    .split(';', 3)
    .map((part) => (part.trim() === '' ? NaN : Number(part)))
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined
}

function attendeeOf({ value, parameters }: ContentLine): Attendee {
  const [, email] = /^mailto:([^\s?]{1,320})/i.exec(value.trim()) ?? []
  return withoutUndefined({
    email: email ?? parameters['EMAIL']?.[0],
    name: parameters['CN']?.[0],
    status: parameters['PARTSTAT']?.[0]?.toLowerCase(),
  })
}

const nonEmpty = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim())

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
