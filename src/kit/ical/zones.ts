import { zoneNamed, zoneOffset } from './iana-zones.ts'
import { DAY_MS } from './rule-days.ts'

/** A time zone. Local times are given as if they were UTC. */
export interface Zone {
  /** Its IANA name, where it has one. */
  name: string | undefined
  /** What it adds to UTC at a moment. */
  offsetAt: (utcMs: number) => number
}

/** Zones by the names that a calendar gives them. */
export type ZoneNames = ReadonlyMap<string, Zone>

/** Limit: days of one time zone whose offset is remembered; then it is computed again. */
const MAX_DAYS = 4000

/** Only of zones that exist, so it cannot grow without limit. */
const known = new Map<string, Zone>()

/** The zone of an IANA or Windows name; undefined if there is none. */
export function ianaZone(name: string | undefined): Zone | undefined {
  const iana = zoneNamed(name)
  if (iana === undefined) return undefined
  const zone = known.get(iana) ?? { name: iana, offsetAt: byDays((ms) => zoneOffset(iana, ms) ?? 0) }
  known.set(iana, zone)
  return zone
}

/** On most days the offset does not change, and then it need not be computed for each moment. */
function byDays(exact: (ms: number) => number): (ms: number) => number {
  const offsets = new Map<number, number>()
  const atBegin = (day: number) => {
    const found = offsets.get(day)
    if (found !== undefined) return found
    const offset = exact(day * DAY_MS)
    if (offsets.size >= MAX_DAYS) offsets.clear()
    offsets.set(day, offset)
    return offset
  }
  return (ms) => {
    const day = Math.floor(ms / DAY_MS)
    const offset = atBegin(day)
    return offset === atBegin(day + 1) ? offset : exact(ms)
  }
}

/**
 * The moment of a local time. A time that occurs twice is the first of both; one that is skipped counts with the offset before it
 * (RFC 5545 3.3.5).
 */
export function toUtc({ offsetAt }: Zone, localMs: number): number {
  const [before, after] = [offsetAt(localMs - DAY_MS), offsetAt(localMs + DAY_MS)]
  const isRight = (offset: number) => offsetAt(localMs - offset) === offset
  return localMs - (isRight(before) || !isRight(after) ? before : after)
}

export const toLocal = ({ offsetAt }: Zone, utcMs: number): number => utcMs + offsetAt(utcMs)
