import type { ContentLine } from './content-lines.ts'
import { dayNumber } from './rule-days.ts'
import { ianaZone, toUtc, type Zone, type ZoneNames } from './zones.ts'

export interface EventTime {
  ms: number
  /** As written, in milliseconds, as if it were UTC. */
  localMs: number
  /** A day without a time. */
  isDay: boolean
  /** It is written in UTC. */
  isUtc: boolean
  /** Its zone, where it has one that is known. */
  zone?: Zone | undefined
}

/**
 * A date or a time: in UTC, in a zone, or without one. Without a zone that is known it counts as UTC, because nobody says where
 * the person is.
 */
export function eventTime(line: ContentLine | undefined, zones: ZoneNames): EventTime | undefined {
  return line && timeIn(line.value, zoneOf(line, zones))
}

/** The zone that the parameters of a line name. */
export function zoneOf({ parameters }: ContentLine, zones: ZoneNames): Zone | undefined {
  const name = parameters['TZID']?.[0]
  return name === undefined ? undefined : (ianaZone(name) ?? zones.get(name))
}

export function timeIn(text: string, zone: Zone | undefined): EventTime | undefined {
  const [, year, month, day, time, hour, minute, second, utc] =
    /^(\d{4})(\d{2})(\d{2})(T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const date = dayNumber(Number(year), Number(month), Number(day)) * 86_400_000
  if (time === undefined) return { ms: date, localMs: date, isDay: true, isUtc: false }
  const localMs = date + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
  const isUtc = utc === 'Z'
  if (isUtc || zone === undefined) return { ms: localMs, localMs, isDay: false, isUtc }
  return { ms: toUtc(zone, localMs), localMs, isDay: false, isUtc, zone }
}

/** `P1DT2H30M` in milliseconds; undefined for anything else. */
export function durationMs(text: string | undefined): number | undefined {
  const [whole, sign, weeks, days, hours, minutes, seconds] =
    /^([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?$/.exec(text ?? '') ?? []
  if (whole === undefined) return undefined
  const inDays = Number(weeks ?? 0) * 7 + Number(days ?? 0)
  const inSeconds = ((inDays * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0)
  return (sign === '-' ? -1 : 1) * inSeconds * 1000
}
