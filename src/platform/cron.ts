import { Cron } from 'croner'

/** When something runs: five fields, in UTC unless a time zone is named. */
export interface CronLine {
  cron: string
  zone?: string
}

/** Limit: characters of a cron expression, and of a text that may hold one; a longer one is answered with 400. */
export const MAX_CRON = 200

const FIELDS = 5
/** A name, never an offset such as +01:00, and never a sixth field of numbers. */
const ZONE_NAME = /^[A-Za-z][\w/+-]*$/

/** Reads `0 6 * * * Europe/Berlin`. A fault says why the text is no such thing, to be put after “… is”. */
export function parseCron(text: string): CronLine | { fault: string } {
  if (text.length > MAX_CRON) return faulty(`must have at most ${MAX_CRON} characters`)
  const words = text.trim().split(/\s+/)
  const [zone, ...more] = words.slice(FIELDS)
  if (words.length < FIELDS || more.length > 0 || (zone !== undefined && !ZONE_NAME.test(zone)))
    return faulty('must have five fields, and perhaps a time zone')
  if (zone !== undefined && !isTimeZone(zone)) return faulty(`names “${zone}”, which is not a known time zone`)
  const line: CronLine = { cron: words.slice(0, FIELDS).join(' '), ...(zone === undefined ? {} : { zone }) }
  try {
    // Without years, what comes once comes again: any start tells whether there is a run at all.
    return nextRun(line, 0) === undefined ? faulty('names a day that never comes') : line
  } catch {
    return faulty('has a field that cannot be understood')
  }
}

/** The first run after a moment; undefined when there is none. */
export function nextRun({ cron, zone }: CronLine, afterMs: number): number | undefined {
  return new Cron(cron, { timezone: zone ?? 'UTC' }).nextRun(new Date(afterMs))?.getTime()
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
}

function faulty(why: string): { fault: string } {
  return { fault: `not a cron expression such as “0 6 * * * Europe/Berlin”: it ${why}` }
}
