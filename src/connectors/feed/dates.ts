/** Offsets in minutes of the zones that RFC 822 names; other names count as UTC. */
const ZONES = new Map([
  ['EST', -300],
  ['EDT', -240],
  ['CST', -360],
  ['CDT', -300],
  ['MST', -420],
  ['MDT', -360],
  ['PST', -480],
  ['PDT', -420],
  ['BST', 60],
  ['CET', 60],
  ['CEST', 120],
  ['JST', 540],
])
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
/** Limit: characters of a date in a feed; a longer text is none. */
const MAX_DATE = 100

/**
 * The time in a date of a feed, in epoch milliseconds; undefined for other texts. RFC 3339 and RFC 822 as they occur: with and
 * without day of the week, seconds and zone, with two-digit years and long names of months. Without a zone, it is UTC.
 */
export function timeIn(text: string | undefined): number | undefined {
  const date = text?.trim() ?? ''
  if (date === '' || date.length > MAX_DATE) return undefined
  return isoTime(date) ?? mailTime(date)
}

function isoTime(text: string): number | undefined {
  const [, day, month, date, time = '00:00:00', zone = 'Z'] =
    /^(\d{4})-(\d{2})(?:-(\d{2}))?(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?))?\s?([Zz]|[+-]\d{2}:?\d{2})?$/.exec(
      text,
    ) ?? []
  if (day === undefined) return undefined
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const seconds = time.length === 5 ? `${time}:00` : time.replace(',', '.')
  return valid(Date.parse(`${day}-${month}-${date ?? '01'}T${seconds}${offset}`))
}

function mailTime(text: string): number | undefined {
  const [, date, name = '', year = '', hour = '0', minute = '0', second = '0', zone = ''] =
    /^(?:[\p{L}.]{1,20},?\s{0,5})?(\d{1,2})[\s-]{1,5}(\p{L}{3,12})\.?,?[\s-]{1,5}(\d{4}|\d{2})(?:,?\s{1,5}(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?\s{0,5}([+-]\d{1,2}:?\d{2}|\p{L}{1,5})?(?:\s{1,5}\([^()]{0,20}\))?$/u.exec(
      text,
    ) ?? []
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) / 3
  if (date === undefined || !Number.isInteger(month) || month < 0) return undefined
  // As RFC 2822 says: two digits up to 49 are of this century.
  const fullYear = year.length === 4 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900)
  const ms = Date.UTC(fullYear, month, Number(date), Number(hour), Number(minute), Number(second))
  return valid(ms - offsetOf(zone) * 60_000)
}

function offsetOf(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{1,2}):?(\d{2})$/.exec(zone) ?? []
  if (sign === undefined) return ZONES.get(zone.toUpperCase()) ?? 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

const valid = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)
