import type { ContentLine } from '../content-lines.ts'
import { utcOf, zoneNamed } from './zones.ts'

export interface EventTime {
  ms: number
  /** A day without a time. */
  isDay: boolean
  /** The IANA name of its zone, where it has one that is known. */
  zone?: string | undefined
}

/** Zones by the names that the calendar object gives them. */
export type ZoneNames = ReadonlyMap<string, string>

/**
 * A date or a time: in UTC, in a zone, or without one. Without a zone that is known it counts as UTC, because nobody says where
 * the person is.
 */
export function eventTime(line: ContentLine | undefined, zones: ZoneNames): EventTime | undefined {
  const [, year, month, day, time, hour, minute, second, utc] =
    /^(\d{4})(\d{2})(\d{2})(T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(line?.value.trim() ?? '') ?? []
  if (line === undefined || year === undefined) return undefined
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  if (time === undefined) return { ms: date, isDay: true }
  const local = date + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
  const name = line.parameters['TZID']?.[0]
  if (utc === 'Z' || name === undefined) return { ms: local, isDay: false }
  const zone = zoneNamed(name) ?? zones.get(name)
  const ms = zone === undefined ? undefined : utcOf(local, zone)
  return ms === undefined ? { ms: local, isDay: false } : { ms, isDay: false, zone }
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
