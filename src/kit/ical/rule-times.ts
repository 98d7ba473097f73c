import type { Frequency, Rule } from './rule.ts'
import { DAY_MS, dayMatcher, dayNumber, dayOf, weekdayOf } from './rule-days.ts'

/** How much may still be computed. At zero, computing ends. */
export interface Allowance {
  left: number
}

/** Times are local, in milliseconds, as if they were UTC. */
export interface Span {
  from: number
  to: number
}

const UNITS = new Map<Frequency, number>([
  ['HOURLY', 3_600_000],
  ['MINUTELY', 60_000],
  ['SECONDLY', 1000],
])

/**
 * The times of a rule that begins at `start`, in ascending order, from `from` to `to`. `start` is always the first of them, also
 * where the rule does not choose it (RFC 5545 3.8.5.3). What is before `from` is skipped without being computed, unless the rule
 * counts its times.
 */
export function* ruleTimes(given: Rule, start: number, { from, to }: Span, allowance: Allowance): Generator<number> {
  const rule = withDefaults(given, start)
  let count = 1
  if (start >= from && start <= to) yield start
  const skipTo = rule.count === undefined ? from : start
  for (const time of UNITS.has(rule.frequency)
    ? unitTimes(rule, start, skipTo, to, allowance)
    : dayTimes(rule, start, skipTo, to, allowance)) {
    if (time <= start) continue
    count += 1
    if (time > to || count > (rule.count ?? Infinity)) return
    if (time >= from) yield time
  }
}

/** What a rule does not say comes from the start of its event. */
function withDefaults(rule: Rule, start: number): Rule {
  const time = new Date(start)
  const { month, date, weekday } = dayOf(Math.floor(start / DAY_MS))
  const { frequency, months, weekNumbers, yearDays, monthDays, weekdays } = rule
  const hasDays = [weekNumbers, yearDays, monthDays, weekdays].some((list) => list.length > 0)
  const ofWeek = { weekdays: [{ weekday, ordinal: 0 }] }
  const days = (): Partial<Rule> => {
    if (frequency === 'YEARLY' && weekNumbers.length > 0)
      return yearDays.length + monthDays.length + weekdays.length > 0 ? {} : ofWeek
    if (hasDays) return {}
    if (frequency === 'YEARLY') return { months: months.length > 0 ? months : [month], monthDays: [date] }
    if (frequency === 'MONTHLY') return { monthDays: [date] }
    return frequency === 'WEEKLY' ? ofWeek : {}
  }
  const unitMs = UNITS.get(frequency) ?? DAY_MS
  const or = (list: number[], value: number, isFinest: boolean) => (list.length === 0 && isFinest ? [value] : list)
  return {
    ...rule,
    ...days(),
    hours: or(rule.hours, time.getUTCHours(), unitMs > 3_600_000),
    minutes: or(rule.minutes, time.getUTCMinutes(), unitMs > 60_000),
    seconds: or(rule.seconds, time.getUTCSeconds(), unitMs > 1000),
  }
}

/** Rules of days, weeks, months and years: of each period the chosen days, at the chosen times. */
function* dayTimes(rule: Rule, start: number, skipTo: number, to: number, allowance: Allowance): Generator<number> {
  const matches = dayMatcher(rule)
  const times = rule.hours.flatMap((hour) =>
    rule.minutes.flatMap((minute) => rule.seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  )
  const { first, periodAt } = periodsOf(rule, Math.floor(start / DAY_MS), Math.floor(skipTo / DAY_MS))
  for (let index = first; ; index += 1) {
    const [begin, end] = periodAt(index)
    if (begin * DAY_MS > to) return
    const days: number[] = []
    for (let day = begin; day < end; day += 1) {
      allowance.left -= 1
      if (matches(dayOf(day))) days.push(day)
    }
    if (allowance.left < 0) return
    for (const time of positioned(rule.positions, days, times)) {
      allowance.left -= 1
      if (allowance.left < 0) return
      yield time
    }
  }
}

/** Those of the set that `BYSETPOS` names, without making the set. */
function* positioned(positions: number[], days: number[], times: number[]): Generator<number> {
  const at = (index: number) => days[Math.floor(index / times.length)]! * DAY_MS + times[index % times.length]!
  const length = days.length * times.length
  if (positions.length === 0) for (let index = 0; index < length; index += 1) yield at(index)
  const chosen = positions.map((position) => (position > 0 ? position - 1 : length + position))
  for (const index of [...new Set(chosen)].toSorted((a, b) => a - b)) if (index >= 0 && index < length) yield at(index)
}

/** The periods of a rule: their number, from that with the start, to their first day and the day after the last one. */
function periodsOf({ frequency, interval, weekStart }: Rule, startDay: number, skipToDay: number) {
  const { year, month } = dayOf(startDay)
  const ahead = Math.max(0, skipToDay - startDay)
  /** One less, because periods do not all have the same length. */
  const after = (longest: number) => Math.max(0, Math.floor(ahead / (longest * interval)) - 1)
  if (frequency === 'YEARLY')
    return {
      first: after(366),
      periodAt: (index: number) => {
        const at = year + index * interval
        return [dayNumber(at, 1, 1), dayNumber(at + 1, 1, 1)] as const
      },
    }
  if (frequency === 'MONTHLY')
    return {
      first: after(31),
      periodAt: (index: number) => {
        const at = month + index * interval
        return [dayNumber(year, at, 1), dayNumber(year, at + 1, 1)] as const
      },
    }
  const length = frequency === 'WEEKLY' ? 7 : 1
  const begin = frequency === 'WEEKLY' ? startDay - ((weekdayOf(startDay) - weekStart + 7) % 7) : startDay
  return {
    first: after(length),
    periodAt: (index: number) => {
      const at = begin + index * interval * length
      return [at, at + length] as const
    },
  }
}

/** Rules of hours, minutes and seconds. What a rule does not choose is skipped by whole days, hours or minutes. */
function* unitTimes(rule: Rule, start: number, skipTo: number, to: number, allowance: Allowance): Generator<number> {
  const unitMs = UNITS.get(rule.frequency)!
  const stepMs = unitMs * rule.interval
  const matches = dayMatcher(rule)
  const [hours, minutes, seconds] = [new Set(rule.hours), new Set(rule.minutes), new Set(rule.seconds)]
  const has = (chosen: Set<number>, value: number) => chosen.size === 0 || chosen.has(value)
  const begin = Math.floor(start / unitMs) * unitMs
  const onwards = (time: number) => begin + Math.ceil((time - begin) / stepMs) * stepMs
  let at = Math.max(begin, onwards(skipTo) - stepMs)
  let [day, isDay] = [NaN, false]
  while (at <= to) {
    allowance.left -= 1
    if (allowance.left < 0) return
    const number = Math.floor(at / DAY_MS)
    if (number !== day) [day, isDay] = [number, matches(dayOf(number))]
    const time = new Date(at)
    if (!isDay) at = onwards((day + 1) * DAY_MS)
    else if (!has(hours, time.getUTCHours())) at = onwards(Math.floor(at / 3_600_000) * 3_600_000 + 3_600_000)
    else if (unitMs < 3_600_000 && !has(minutes, time.getUTCMinutes()))
      at = onwards(Math.floor(at / 60_000) * 60_000 + 60_000)
    else if (unitMs === 1000 && !has(seconds, time.getUTCSeconds())) at += stepMs
    else {
      yield* withinUnit(rule, at, unitMs)
      at += stepMs
    }
  }
}

/** The times of one hour, minute or second. */
function withinUnit({ positions, minutes, seconds }: Rule, at: number, unitMs: number): Generator<number> {
  const times =
    unitMs === 3_600_000
      ? minutes.flatMap((minute) => seconds.map((second) => (minute * 60 + second) * 1000))
      : unitMs === 60_000
        ? seconds.map((second) => second * 1000)
        : [0]
  return positioned(
    positions,
    [0],
    times.map((ms) => at + ms),
  )
}
