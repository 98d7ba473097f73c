import { Cron } from 'croner'

/** A schedule of five fields, in UTC unless a time zone is named. */
export interface CronLine {
  cron: string
  zone?: string
}

/** Limit: characters of a cron expression, and of a text that may be one; a longer one is refused with 400. */
export const MAX_CRON = 200

const FIELDS = 5
/** A name; neither an offset such as +01:00 nor a sixth numeric field. */
const ZONE_NAME = /^[A-Za-z][\w/+-]*$/

/** Reads `0 6 * * * Europe/Berlin`. `fault` says why the text is invalid, phrased to follow “… is”. */
export function parseCron(text: string): CronLine | { fault: string } {
  if (text.length > MAX_CRON) return faulty(`must have at most ${MAX_CRON} characters`)
  const words = text.trim().split(/\s+/)
  const [zone, ...more] = words.slice(FIELDS)
  if (words.length < FIELDS || more.length > 0 || (zone !== undefined && !ZONE_NAME.test(zone)))
    return faulty('must have five fields and may have a time zone')
  if (zone !== undefined && !isTimeZone(zone)) return faulty(`names “${zone}”, which is not a known time zone`)
  const line: CronLine = { cron: words.slice(0, FIELDS).join(' '), ...(zone === undefined ? {} : { zone }) }
  try {
    // There is no year field, so a schedule either repeats or never runs: any start time shows which.
    return nextRun(line, 0) === undefined ? faulty('names a day that does not exist') : line
  } catch {
    // The library's message would not name the field either.
    return faulty('has an invalid field')
  }
}

/** The first run after a time; undefined when there is none. */
export function nextRun({ cron, zone }: CronLine, afterMs: number): number | undefined {
  return new Cron(cron, { timezone: zone ?? 'UTC' }).nextRun(new Date(afterMs))?.getTime()
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    // A RangeError: the time zone is unknown.
    return false
  }
}

function faulty(why: string): { fault: string } {
  return { fault: `not a cron expression such as “0 6 * * * Europe/Berlin”: it ${why}` }
}
