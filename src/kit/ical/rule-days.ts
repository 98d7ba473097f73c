import type { Rule } from './rule.ts'

export const DAY_MS = 86_400_000

/** A day, with what rules say about days. */
interface Day {
  /** Days since 1970. */
  number: number
  year: number
  /** From 1. */
  month: number
  date: number
  /** 0 is Monday. */
  weekday: number
  yearDay: number
  monthLength: number
  yearLength: number
}

/** In years that begin in March, so that a leap day is the last one. The month may be any integer. */
export function dayNumber(year: number, month: number, date: number): number {
  const months = year * 12 + month - 3
  const [from, at] = [Math.floor(months / 12), ((months % 12) + 12) % 12]
  return leapsBefore(from) + from * 365 + Math.floor((153 * at + 2) / 5) + date - 1 - EPOCH
}

/** Days from the first of March in the year 0 to 1970. */
const EPOCH = 719_468

const leapsBefore = (year: number): number => Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)

export function dayOf(number: number): Day {
  const since = number + EPOCH
  let from = Math.floor(since / 365.2425)
  if (leapsBefore(from + 1) + (from + 1) * 365 <= since) from += 1
  if (leapsBefore(from) + from * 365 > since) from -= 1
  const dayOfYear = since - leapsBefore(from) - from * 365
  const at = Math.floor((5 * dayOfYear + 2) / 153)
  const [year, month] = at < 10 ? [from, at + 3] : [from + 1, at - 9]
  const first = dayNumber(year, 1, 1)
  return {
    number,
    year,
    month,
    date: dayOfYear - Math.floor((153 * at + 2) / 5) + 1,
    weekday: weekdayOf(number),
    yearDay: number - first + 1,
    monthLength: dayNumber(year, month + 1, 1) - dayNumber(year, month, 1),
    yearLength: dayNumber(year + 1, 1, 1) - first,
  }
}

/** The first day of 1970 was a Thursday. */
export const weekdayOf = (number: number): number => (((number + 3) % 7) + 7) % 7

/** Whether the parts of a rule that choose days choose this one. Without any of them, every day is chosen. */
export function dayMatcher(rule: Rule): (day: Day) => boolean {
  const months = new Set(rule.months)
  const [monthDays, yearDays] = [new Set(rule.monthDays), new Set(rule.yearDays)]
  const weekNumbers = new Set(rule.weekNumbers)
  const either = (chosen: Set<number>, position: number, length: number) =>
    chosen.has(position) || chosen.has(position - length - 1)
  const isWeekday = weekdayMatcher(rule)
  return (day) =>
    (months.size === 0 || months.has(day.month)) &&
    (monthDays.size === 0 || either(monthDays, day.date, day.monthLength)) &&
    (yearDays.size === 0 || either(yearDays, day.yearDay, day.yearLength)) &&
    isWeekday(day) &&
    (weekNumbers.size === 0 || isInWeeks(day, weekNumbers, rule.weekStart))
}

function weekdayMatcher({ weekdays, frequency, months }: Rule): (day: Day) => boolean {
  if (weekdays.length === 0) return () => true
  // Elsewhere an ordinal has no meaning.
  const inMonth = frequency === 'MONTHLY' || (frequency === 'YEARLY' && months.length > 0)
  const hasOrdinals = inMonth || frequency === 'YEARLY'
  const plain = new Set(weekdays.filter(({ ordinal }) => ordinal === 0 || !hasOrdinals).map(({ weekday }) => weekday))
  const counted = new Set(weekdays.map(({ weekday, ordinal }) => `${weekday} ${ordinal}`))
  return (day) => {
    if (plain.has(day.weekday)) return true
    if (!hasOrdinals) return false
    const [position, length] = inMonth ? [day.date, day.monthLength] : [day.yearDay, day.yearLength]
    const fromEnd = Math.floor((length - position) / 7) + 1
    return (
      counted.has(`${day.weekday} ${Math.floor((position - 1) / 7) + 1}`) || counted.has(`${day.weekday} ${-fromEnd}`)
    )
  }
}

/** The first week of a year has at least four days in it. */
function isInWeeks(day: Day, chosen: ReadonlySet<number>, weekStart: number): boolean {
  const start = day.number - ((day.weekday - weekStart + 7) % 7)
  // The fourth day of a week is in the year that the week belongs to.
  const { year } = dayOf(start + 3)
  const first = firstWeek(year, weekStart)
  const week = (start - first) / 7 + 1
  const weeks = (firstWeek(year + 1, weekStart) - first) / 7
  return chosen.has(week) || chosen.has(week - weeks - 1)
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = dayNumber(year, 1, 4)
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7)
}
