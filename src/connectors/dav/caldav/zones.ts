/** Limit: characters of the name of a time zone in a calendar object; a longer one is unknown. */
const MAX_NAME = 100

/** Names of Windows that calendar servers write into events, with the zones that Unicode CLDR gives for them. */
const WINDOWS: Record<string, string> = {
  UTC: 'Etc/UTC',
  'GMT Standard Time': 'Europe/London',
  'W. Europe Standard Time': 'Europe/Berlin',
  'Central Europe Standard Time': 'Europe/Budapest',
  'Central European Standard Time': 'Europe/Warsaw',
  'Romance Standard Time': 'Europe/Paris',
  'E. Europe Standard Time': 'Europe/Chisinau',
  'FLE Standard Time': 'Europe/Kiev',
  'GTB Standard Time': 'Europe/Bucharest',
  'Turkey Standard Time': 'Europe/Istanbul',
  'Russian Standard Time': 'Europe/Moscow',
  'Eastern Standard Time': 'America/New_York',
  'Central Standard Time': 'America/Chicago',
  'Mountain Standard Time': 'America/Denver',
  'Pacific Standard Time': 'America/Los_Angeles',
  'E. South America Standard Time': 'America/Sao_Paulo',
  'India Standard Time': 'Asia/Calcutta',
  'China Standard Time': 'Asia/Shanghai',
  'Tokyo Standard Time': 'Asia/Tokyo',
  'AUS Eastern Standard Time': 'Australia/Sydney',
  'New Zealand Standard Time': 'Pacific/Auckland',
}

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
  if (Object.hasOwn(WINDOWS, name)) return WINDOWS[name]
  const parts = name.split('/').filter(Boolean)
  const candidates = [parts.join('/'), parts.slice(-3).join('/'), parts.slice(-2).join('/')]
  return candidates.find((one) => one !== '' && formatOf(one) !== undefined)
}

/**
 * The moment of a local time, given as if it were UTC. A time that occurs twice is the first of both; one that is skipped counts
 * with the offset before it (RFC 5545 3.3.5).
 */
export function utcOf(localMs: number, zone: string): number | undefined {
  const format = formatOf(zone)
  if (format === undefined) return undefined
  const [before, after] = [offsetAt(format, localMs - DAY_MS), offsetAt(format, localMs + DAY_MS)]
  if (before === undefined || after === undefined) return undefined
  const isRight = (offset: number) => offsetAt(format, localMs - offset) === offset
  return localMs - (isRight(before) || !isRight(after) ? before : after)
}

const DAY_MS = 86_400_000

function offsetAt(format: Intl.DateTimeFormat, ms: number): number | undefined {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?)?$/.exec(name) ?? []
  if (name === 'GMT') return 0
  if (sign === undefined) return undefined
  const size = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000
  return sign === '-' ? -size : size
}
