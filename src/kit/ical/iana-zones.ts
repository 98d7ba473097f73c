import { WINDOWS_ZONES } from './windows-zones.ts'

/** Limit: characters of the name of a time zone in a calendar object; a longer one is unknown. */
const MAX_NAME = 100

/** Only of zones that exist, so it cannot grow without limit. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone)
  if (known !== undefined) return known
  try {
    const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(made.resolvedOptions().timeZone, made)
    return made
  } catch {
    // There is no such zone.
    return undefined
  }
}

/** The IANA name of a zone; undefined if it is unknown. Some programs put a path in front of it. */
export function zoneNamed(name: string | undefined): string | undefined {
  if (name === undefined || name === '' || name.length > MAX_NAME) return undefined
  const windows = WINDOWS_ZONES.get(name)
  if (windows !== undefined) return windows
  const parts = name.split('/').filter(Boolean)
  const candidates = [parts.join('/'), parts.slice(-3).join('/'), parts.slice(-2).join('/')]
  return candidates.find((one) => one !== '' && formatOf(one) !== undefined)
}

/** What a zone adds to UTC at a moment, in milliseconds. */
export function zoneOffset(zone: string, ms: number): number | undefined {
  const format = formatOf(zone)
  return format === undefined ? undefined : offsetAt(format, ms)
}

function offsetAt(format: Intl.DateTimeFormat, ms: number): number | undefined {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?$/.exec(name) ?? []
  if (name === 'GMT') return 0
  if (sign === undefined) return undefined
  const size = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000
  return sign === '-' ? -size : size
}
