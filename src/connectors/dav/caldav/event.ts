import type { CalendarComponent } from '#kit/ical/components.ts'
import { componentsIn } from '#kit/ical/components.ts'
import { type ContentLine, unescaped } from '#kit/ical/content-lines.ts'
import { durationMs, type EventTime, eventTime } from '#kit/ical/event-time.ts'
import { zonesIn } from '#kit/ical/vtimezone.ts'
import type { ZoneNames } from '#kit/ical/zones.ts'
import type { Place } from '#kit/read/kind.ts'

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
  /** How many occurrences differ from the rule. */
  exceptions?: number
  changed?: number
}

/** Limit: attendees of an event that are read; further ones are ignored. */
const MAX_ATTENDEES = 200
const DAY_MS = 86_400_000

/** What a calendar object consists of. */
export interface CalendarParts {
  /** The event, or its series; without it the first of the occurrences, for somebody who is invited to these only. */
  main: CalendarComponent
  /** The main event is a single occurrence of a series that the object does not have. */
  isOccurrence: boolean
  /** The other occurrences that differ from the rule. */
  exceptions: CalendarComponent[]
  zones: ZoneNames
}

/** Reads the parts of a calendar object (RFC 5545); undefined if it is a task or something else. */
export function partsOf(ical: string): CalendarParts | undefined {
  const components = componentsIn(ical)
  const events = components.filter(({ name }) => name === 'VEVENT')
  const isException = ({ lines }: CalendarComponent) => lines.some(({ name }) => name === 'RECURRENCE-ID')
  const series = events.find((one) => !isException(one))
  const main = series ?? events[0]
  if (main === undefined) return undefined
  const exceptions = events.filter((one) => one !== main)
  return { main, isOccurrence: series === undefined, exceptions, zones: zonesIn(components) }
}

/** Reads the event of a calendar object; undefined if it has none. */
export function readEvent(ical: string): CalendarEvent | undefined {
  const parts = partsOf(ical)
  if (parts === undefined) return undefined
  const { main, exceptions, zones } = parts
  return exceptions.length === 0 ? eventOf(main, zones) : { ...eventOf(main, zones), exceptions: exceptions.length }
}

/** What one component says. */
export function eventOf({ lines }: CalendarComponent, zones: ZoneNames): CalendarEvent {
  const line = (name: string) => lines.find((one) => one.name === name)
  const text = (name: string) => nonEmpty(unescaped(line(name)?.value ?? ''))
  const starts = eventTime(line('DTSTART'), zones)
  const organizer = line('ORGANIZER')
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
    zone: starts?.zone?.name,
    rrule: nonEmpty(line('RRULE')?.value ?? ''),
    status: text('STATUS')?.toLowerCase(),
    organizer: organizer && attendeeOf(organizer),
    attendees: lines
      .filter(({ name }) => name === 'ATTENDEE')
      .slice(0, MAX_ATTENDEES)
      .map(attendeeOf),
    changed: (eventTime(line('LAST-MODIFIED'), zones) ?? eventTime(line('DTSTAMP'), zones))?.ms,
  })
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
