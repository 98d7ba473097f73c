import type { CalendarComponent } from './components.ts'
import { timeIn } from './event-time.ts'
import { parseRule, type Rule } from './rule.ts'
import { DAY_MS, dayOf } from './rule-days.ts'
import { ruleTimes } from './rule-times.ts'
import { ianaZone, type Zone, type ZoneNames } from './zones.ts'

/** A part of a zone: from these times on, clocks show UTC plus `to`. */
interface Observance {
  from: number
  to: number
  /** Local times, with the offset `from`. */
  startMs: number
  dates: number[]
  rules: { rule: Rule; untilMs: number }[]
}

interface Change {
  utcMs: number
  from: number
  to: number
}

/** Limit: parts (standard and daylight times) of one described time zone that are read; further ones are ignored. */
const MAX_PARTS = 100
/** Limit: years of one described time zone whose changes are remembered; then they are computed again. */
const MAX_YEARS = 50
/** How many days may be looked at to find the changes of one year. */
const ALLOWANCE = 20_000
/** A rule that changes clocks at all does it within this time. */
const LOOK_BACK_MS = 2 * 366 * DAY_MS

/** The zones that a calendar describes, by the names that it gives them. */
export function zonesIn(components: CalendarComponent[]): ZoneNames {
  const zones = components.flatMap((component) => {
    if (component.name !== 'VTIMEZONE') return []
    const value = (of: string) => component.lines.find(({ name }) => name === of)?.value.trim()
    const id = value('TZID')
    const zone = ianaZone(value('X-LIC-LOCATION')) ?? describedZone(component)
    return id === undefined || zone === undefined ? [] : [[id, zone] as const]
  })
  return new Map(zones)
}

/** A zone by its description (RFC 5545 3.6.5); undefined if it has no part that can be read. */
export function describedZone({ parts }: CalendarComponent): Zone | undefined {
  const observances = parts.slice(0, MAX_PARTS).flatMap((part) => observanceIn(part) ?? [])
  if (observances.length === 0) return undefined
  const byYear = new Map<number, Change[]>()
  const changesIn = (year: number): Change[] => {
    const found =
      byYear.get(year) ?? observances.flatMap((one) => changesOf(one, year)).toSorted((a, b) => a.utcMs - b.utcMs)
    if (byYear.size >= MAX_YEARS) byYear.clear()
    byYear.set(year, found)
    return found
  }
  const first = observances.toSorted((a, b) => a.startMs - b.startMs)[0]!
  return {
    name: undefined,
    offsetAt: (ms) => {
      const changes = changesIn(dayOf(Math.floor(ms / DAY_MS)).year)
      return changes.findLast(({ utcMs }) => utcMs <= ms)?.to ?? first.from
    },
  }
}

function observanceIn({ name, lines }: CalendarComponent): Observance | undefined {
  if (name !== 'STANDARD' && name !== 'DAYLIGHT') return undefined
  const values = (of: string) => lines.filter((line) => line.name === of).map(({ value }) => value.trim())
  const [from, to] = [offsetIn(values('TZOFFSETFROM')[0]), offsetIn(values('TZOFFSETTO')[0])]
  const start = timeIn(values('DTSTART')[0] ?? '', undefined)
  if (from === undefined || to === undefined || start === undefined) return undefined
  const localOf = (text: string) => {
    const time = timeIn(text, undefined)
    return time && time.localMs + (time.isUtc ? from : 0)
  }
  return {
    from,
    to,
    startMs: start.localMs,
    dates: values('RDATE').flatMap((value) => value.split(',', 1000).flatMap((text) => localOf(text) ?? [])),
    rules: values('RRULE').flatMap((value) => {
      const rule = parseRule(value)
      return rule === undefined ? [] : [{ rule, untilMs: localOf(rule.until ?? '') ?? Infinity }]
    }),
  }
}

/** The changes of a year, with the last one before it. */
function changesOf({ from, to, startMs, dates, rules }: Observance, year: number): Change[] {
  const endMs = Date.UTC(year + 1, 0, 3)
  const allowance = { left: ALLOWANCE }
  const times = rules.flatMap(({ rule, untilMs }) => {
    const last = Math.min(endMs, untilMs)
    return [...ruleTimes(rule, startMs, { from: last - LOOK_BACK_MS, to: last }, allowance)]
  })
  return [startMs, ...dates, ...times].filter((ms) => ms <= endMs).map((ms) => ({ utcMs: ms - from, from, to }))
}

/** `-0430` in milliseconds. */
function offsetIn(text = ''): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d{2})(\d{2})(\d{2})?$/.exec(text) ?? []
  if (sign === undefined) return undefined
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}
