/** Processor time in milliseconds: of our processes, and of the database. */
export interface CpuTime {
  ours: number
  database: number
}

/** What each piece of work costs. */
export interface Costs {
  /** A check that finds nothing new. */
  check: CpuTime
  /** A page of 100 unchanged records, on top of its check. */
  page: CpuTime
  /** A new item, on top of its check. */
  item: CpuTime
  /** A response with 20 items. */
  read: CpuTime
  /** A row that is delivered to a destination. */
  row: CpuTime
}

/** What each of many events cost between two readings. */
export function costOf(before: CpuTime, after: CpuTime, events: number): CpuTime {
  return { ours: (after.ours - before.ours) / events, database: (after.database - before.database) / events }
}

/** How much of each kind of work one profile causes in a day. */
export type Work = Record<keyof Costs, number>

/** The share of a core that is planned for; the rest is for bursts, maintenance and the operating system. */
export const USABLE_SHARE = 0.7
const DAY_S = 86_400

/** Milliseconds of processor time that one profile needs in a day. */
export function dailyCpu(costs: Costs, work: Work): CpuTime {
  const kinds = Object.keys(work) as (keyof Costs)[]
  const sum = (whose: keyof CpuTime) => kinds.reduce((total, kind) => total + work[kind] * costs[kind][whose], 0)
  return { ours: sum('ours'), database: sum('database') }
}

/** Profiles that one core serves: a core of our processes, and a core of the database. */
export function profilesPerCore(costs: Costs, work: Work): CpuTime {
  const needed = dailyCpu(costs, work)
  const available = USABLE_SHARE * DAY_S * 1000
  return { ours: available / needed.ours, database: available / needed.database }
}

/** Checks of one profile in a day, if each endpoint is read at its interval. */
export function checksPerDay(intervalsMs: readonly number[]): number {
  return intervalsMs.reduce((sum, intervalMs) => sum + (DAY_S * 1000) / intervalMs, 0)
}
