export type Frequency = 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY'

/** A rule of recurrence (RFC 5545 3.3.10). An empty list does not limit. */
export interface Rule {
  frequency: Frequency
  interval: number
  count: number | undefined
  /** As written: a day, a local time, or one in UTC. */
  until: string | undefined
  /** 0 is Monday, as in all of these. */
  weekStart: number
  months: number[]
  weekNumbers: number[]
  yearDays: number[]
  monthDays: number[]
  /** With an ordinal: the first, the last but one … of the month or the year. */
  weekdays: { weekday: number; ordinal: number }[]
  hours: number[]
  minutes: number[]
  seconds: number[]
  positions: number[]
}

const FREQUENCIES: readonly Frequency[] = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY']
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
/** Limit: characters of a rule of recurrence; an event with a longer one is not repeated. */
const MAX_RULE = 10_000
/** Limit: largest INTERVAL and COUNT of a rule of recurrence; larger ones count as this. */
const MAX_NUMBER = 1_000_000

/** Reads the value of an `RRULE`; undefined for one that is not valid, such as a rule of another calendar. */
export function parseRule(text: string): Rule | undefined {
  if (text.length > MAX_RULE) return undefined
  const parts = new Map(
    text
      .trim()
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
  )
  const frequency = FREQUENCIES.find((one) => one === parts.get('FREQ'))
  const isOther = (parts.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN' || parts.has('BYEASTER')
  if (frequency === undefined || isOther) return undefined
  const list = (name: string, least: number, most: number) => numbersIn(parts.get(name), least, most)
  const weekdays = weekdaysIn(parts.get('BYDAY'))
  const lists = {
    months: list('BYMONTH', 1, 12),
    weekNumbers: list('BYWEEKNO', -53, 53),
    yearDays: list('BYYEARDAY', -366, 366),
    monthDays: list('BYMONTHDAY', -31, 31),
    hours: list('BYHOUR', 0, 23),
    minutes: list('BYMINUTE', 0, 59),
    // A leap second is the last second of its minute.
    seconds: list('BYSECOND', 0, 60)?.map((second) => Math.min(second, 59)),
    positions: list('BYSETPOS', -366, 366),
  }
  const [interval, count] = [positive(parts.get('INTERVAL') ?? '1'), positive(parts.get('COUNT') ?? '1')]
  const weekStart = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  const isRead = weekdays !== undefined && Object.values(lists).every((one) => one !== undefined)
  if (!isRead || interval === undefined || count === undefined || weekStart < 0) return undefined
  return {
    frequency,
    interval,
    count: parts.has('COUNT') ? count : undefined,
    until: parts.get('UNTIL'),
    weekStart,
    weekdays,
    ...(lists as Record<keyof typeof lists, number[]>),
  }
}

function positive(text: string): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return number < 1 ? undefined : Math.min(number, MAX_NUMBER)
}

/** In ascending order, each once. Zero is valid only where no value counts from the end. */
function numbersIn(text: string | undefined, least: number, most: number): number[] | undefined {
  if (text === undefined || text === '') return []
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const number = /^[+-]?\d{1,3}$/.test(part) ? Number(part) : NaN
    if (!(number >= least && number <= most) || (number === 0 && least < 0)) return undefined
    found.add(number)
  }
  return [...found].toSorted((a, b) => a - b)
}

function weekdaysIn(text: string | undefined): Rule['weekdays'] | undefined {
  if (text === undefined || text === '') return []
  const found = new Map<string, Rule['weekdays'][number]>()
  for (const part of text.split(',')) {
    const [, ordinal = '', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(part) ?? []
    const weekday = WEEKDAYS.indexOf(name)
    const number = Number(ordinal)
    if (weekday < 0 || Math.abs(number) > 53 || (ordinal !== '' && number === 0)) return undefined
    found.set(`${number} ${weekday}`, { weekday, ordinal: number })
  }
  return [...found.values()]
}
