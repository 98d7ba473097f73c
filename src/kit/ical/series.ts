import type { ContentLine } from './content-lines.ts'
import { durationMs, type EventTime, timeIn, zoneOf } from './event-time.ts'
import { parseRule, type Rule } from './rule.ts'
import { DAY_MS } from './rule-days.ts'
import { type Allowance, ruleTimes } from './rule-times.ts'
import { toLocal, toUtc, type Zone, type ZoneNames } from './zones.ts'

/** A repeated event. */
export interface Series {
  start: EventTime
  /** How long each occurrence takes. */
  lengthMs: number
  /** Its `RRULE`, `RDATE`, `EXDATE` and `EXRULE`; others are ignored. */
  lines: ContentLine[]
  /** Zones that its calendar describes. */
  zones: ZoneNames
}

/** One time at which a repeated event takes place. */
export interface Occurrence {
  /** The time by the rule, as a `RECURRENCE-ID` has it: it stays the same when the occurrence is moved. */
  id: string
  starts: number
  ends: number
}

/** The period in which occurrences are stored, and the moment for which it was made. */
export interface Horizon {
  from: number
  to: number
  now: number
}

/** Limit: occurrences of one repeated event that are stored; of more, those from today on. */
const MAX_OCCURRENCES = 1000
/** Limit: days and times that are looked at to find the occurrences of one repeated event; then further ones are left out. */
const MAX_LOOKED_AT = 300_000
/** Limit: rules of one repeated event; further ones are ignored. */
const MAX_RULES = 20
/** How much the local time may differ from UTC. */
const MARGIN_MS = 2 * DAY_MS

/** How far from today occurrences of repeated events are stored, back and ahead. */
const HORIZON_DAYS = 366

/** The same for a whole day, so that repeating it on that day changes nothing. */
export function horizonOf(nowMs: number): Horizon {
  const today = nowMs - (nowMs % DAY_MS)
  return { from: today - HORIZON_DAYS * DAY_MS, to: today + (HORIZON_DAYS + 1) * DAY_MS, now: nowMs }
}

/** Whether any of these lines repeats an event. */
export const isRepeated = (lines: readonly { name: string }[]): boolean =>
  lines.some(({ name }) => name === 'RRULE' || name === 'RDATE')

/** The occurrences within the horizon, in the order of time. */
export function occurrencesOf(series: Series, horizon: Horizon): Occurrence[] {
  const allowance = { left: MAX_LOOKED_AT }
  const all = within(series, horizon, allowance)
  if (all.length <= MAX_OCCURRENCES) return all
  const today = Math.max(horizon.from, horizon.now - (horizon.now % DAY_MS))
  return within(series, { ...horizon, from: today }, { left: MAX_LOOKED_AT }).slice(0, MAX_OCCURRENCES)
}

function within(series: Series, { from, to }: Horizon, allowance: Allowance): Occurrence[] {
  const { start, lines, lengthMs } = series
  const span = { from: from - MARGIN_MS, to: to + MARGIN_MS }
  const isExcluded = exclusions(series, span, allowance)
  const found = new Map<number, { starts: number; lengthMs: number }>()
  const add = (localMs: number, length: number) => {
    const starts = start.zone === undefined ? localMs : toUtc(start.zone, localMs)
    if (starts < from || starts >= to || isExcluded(localMs, starts)) return
    if (!found.has(localMs)) found.set(localMs, { starts, lengthMs: length })
  }
  // Without a rule, the start is one of the dates.
  if (start.localMs >= span.from && start.localMs <= span.to) add(start.localMs, lengthMs)
  for (const { value } of lines.filter(({ name }) => name === 'RRULE').slice(0, MAX_RULES)) {
    const rule = parseRule(value)
    if (rule !== undefined)
      for (const localMs of timesOf(rule, start, span, allowance)) {
        add(localMs, lengthMs)
        if (found.size > MAX_OCCURRENCES) break
      }
  }
  for (const line of lines.filter(({ name }) => name === 'RDATE'))
    for (const { time, length } of datesIn(line, series, allowance)) {
      if (found.size > MAX_OCCURRENCES) break
      add(localTimeOf(time, start), length ?? lengthMs)
    }
  return [...found]
    .map(([localMs, one]) => ({ id: idOf(localMs, start), starts: one.starts, ends: one.starts + one.lengthMs }))
    .toSorted((a, b) => a.starts - b.starts || (a.id < b.id ? -1 : 1))
}

/** The local times of a rule up to its end, which may be given in UTC. */
function* timesOf(
  rule: Rule,
  start: EventTime,
  span: { from: number; to: number },
  allowance: Allowance,
): Generator<number> {
  const { zone } = start
  const until = rule.until === undefined ? undefined : timeIn(rule.until, zone)
  // One that cannot be read would make the rule endless.
  if (rule.until !== undefined && until === undefined) return
  const isMoment = until?.isUtc === true && zone !== undefined
  const lastLocal = until === undefined ? Infinity : isMoment ? toLocal(zone, until.ms) + MARGIN_MS : lastOf(until)
  for (const time of ruleTimes(rule, start.localMs, { from: span.from, to: Math.min(span.to, lastLocal) }, allowance))
    if (!isMoment || toUtc(zone, time) <= until.ms) yield time
}

/** A day includes all of its times. */
const lastOf = ({ localMs, isDay }: EventTime): number => (isDay ? localMs + DAY_MS - 1 : localMs)

/** What `EXDATE` and `EXRULE` take out: local times, moments, or whole days. */
function exclusions(
  series: Series,
  span: { from: number; to: number },
  allowance: Allowance,
): (localMs: number, ms: number) => boolean {
  const { start, lines } = series
  const [locals, moments, days] = [new Set<number>(), new Set<number>(), new Set<number>()]
  for (const line of lines)
    if (line.name === 'EXDATE')
      for (const { time } of datesIn(line, series, allowance)) {
        if (time.isDay || start.isDay) days.add(Math.floor(time.localMs / DAY_MS))
        else if (time.isUtc || (time.zone !== undefined && time.zone !== start.zone)) moments.add(time.ms)
        else locals.add(time.localMs)
      }
    else if (line.name === 'EXRULE') {
      const rule = parseRule(line.value)
      if (rule !== undefined) for (const time of timesOf(rule, start, span, allowance)) locals.add(time)
    }
  return (localMs, ms) => locals.has(localMs) || moments.has(ms) || days.has(Math.floor(localMs / DAY_MS))
}

/** The dates and times of a line, until the allowance is used up. A period has a length of its own. */
function* datesIn(
  line: ContentLine,
  { zones }: Series,
  allowance: Allowance,
): Generator<{ time: EventTime; length: number | undefined }> {
  const zone = zoneOf(line, zones)
  for (const text of line.value.split(',')) {
    allowance.left -= 1
    if (allowance.left < 0) return
    const [begin = '', end] = text.split('/', 2)
    const time = timeIn(begin, zone)
    if (time !== undefined) yield { time, length: end === undefined ? undefined : lengthUntil(end, time, zone) }
  }
}

function lengthUntil(end: string, { ms }: EventTime, zone: Zone | undefined): number | undefined {
  const until = timeIn(end, zone)
  return until === undefined ? durationMs(end.trim()) : Math.max(0, until.ms - ms)
}

/** A time in the zone of the series. */
function localTimeOf(time: EventTime, start: EventTime): number {
  if (start.isDay) return Math.floor(time.localMs / DAY_MS) * DAY_MS
  if (time.isDay) return time.localMs + (((start.localMs % DAY_MS) + DAY_MS) % DAY_MS)
  const isOther = time.isUtc || (time.zone !== undefined && time.zone !== start.zone)
  return isOther && start.zone !== undefined ? toLocal(start.zone, time.ms) : time.localMs
}

/** How the occurrence that is at this time by the rule is called. */
export const occurrenceId = (time: EventTime, start: EventTime): string => idOf(localTimeOf(time, start), start)

function idOf(localMs: number, { isDay, isUtc }: EventTime): string {
  const text = new Date(localMs).toISOString().replaceAll(/[-:]/g, '')
  return isDay ? text.slice(0, 8) : `${text.slice(0, 15)}${isUtc ? 'Z' : ''}`
}
