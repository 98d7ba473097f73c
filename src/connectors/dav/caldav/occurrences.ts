import { type ComputedEndpoint, computedEndpoint } from '#kit/endpoints/computed.ts'
import type { CalendarComponent } from '#kit/ical/components.ts'
import { eventTime } from '#kit/ical/event-time.ts'
import { type Horizon, isRepeated, occurrenceId, occurrencesOf, type Series } from '#kit/ical/series.ts'
import type { ZoneNames } from '#kit/ical/zones.ts'
import { type CalendarEvent, eventOf, partsOf } from './event.ts'
import { type CalendarObject, event } from './kinds.ts'

/** Limit: characters of the description of an occurrence that are stored; the series has all of it. */
const MAX_DESCRIPTION = 1000
/** Limit: attendees of an occurrence that are stored; the series has all of them. */
const MAX_ATTENDEES = 20

/** The occurrences of the repeated events that `from` has stored. */
export const occurrencesEndpoint = (from: string, traits: Pick<ComputedEndpoint, 'class'>) =>
  computedEndpoint<CalendarObject, CalendarObject>({
    from,
    // The first is a field of ours, for rules in any case of letters.
    marks: ['"rrule":', 'RDATE', 'RECURRENCE-ID'],
    compute: (object, _, horizon) => occurrencesIn(object, horizon),
    kind: event,
    types: ['events'],
    ...traits,
  })

/** The occurrences of a calendar object, without those that are cancelled; none for one that takes place once. */
export function occurrencesIn({ id, ical }: CalendarObject, horizon: Horizon): CalendarObject[] {
  const parts = ical === undefined ? undefined : partsOf(ical)
  if (id === undefined || parts === undefined) return []
  const { main, isOccurrence, exceptions, zones } = parts
  const whole = eventOf(main, zones)
  const series = isOccurrence ? undefined : seriesOf(main, whole, zones)
  if (series === undefined && !isOccurrence) return []
  if (series !== undefined && whole.status === 'cancelled') return []
  const changed = new Map<string, CalendarEvent>()
  for (const one of exceptions) {
    const by = recurrenceId(one, series, zones)
    if (by !== undefined) changed.set(by, eventOf(one, zones))
  }
  const regular = series === undefined ? [] : occurrencesOf(series, horizon).filter((one) => !changed.has(one.id))
  const { rrule: _, exceptions: __, ...common } = whole
  const isShown = ({ starts, status }: CalendarEvent) =>
    status !== 'cancelled' && starts !== undefined && starts >= horizon.from && starts < horizon.to
  return [
    ...regular.map(({ id: by, starts, ends }) => [by, { ...common, starts, ends }] as const),
    ...[...changed].filter(([, one]) => isShown(one)),
  ].map(([by, one]) => ({ id: `${id}/${by}`, series: id, recurrence_id: by, event: shortened(one) }))
}

function seriesOf({ lines }: CalendarComponent, { ends }: CalendarEvent, zones: ZoneNames): Series | undefined {
  const start = eventTime(
    lines.find(({ name }) => name === 'DTSTART'),
    zones,
  )
  if (start === undefined || !isRepeated(lines)) return undefined
  return { start, lengthMs: Math.max(0, (ends ?? start.ms) - start.ms), lines, zones }
}

/** Which occurrence a component describes. */
function recurrenceId({ lines }: CalendarComponent, series: Series | undefined, zones: ZoneNames): string | undefined {
  const line = lines.find(({ name }) => name === 'RECURRENCE-ID')
  const time = eventTime(line, zones)
  return time && occurrenceId(time, series?.start ?? time)
}

function shortened(given: CalendarEvent): CalendarEvent {
  const { description, attendees } = given
  return {
    ...given,
    ...(description === undefined ? {} : { description: description.slice(0, MAX_DESCRIPTION) }),
    ...(attendees === undefined ? {} : { attendees: attendees.slice(0, MAX_ATTENDEES) }),
  }
}
