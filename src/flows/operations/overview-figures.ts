import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { HOUR_MS, type ItemHour, sumItemHours } from '#store/items/item-hours.ts'
import { countFailures, type FailureCount } from '#store/log/count-failures.ts'
import { type OverviewCounts, readOverviewCounts } from '#store/sync/overview-counts.ts'

/** Figures of all apps. `items`: the hours of the last week in which an app received something. */
export interface OverviewFigures extends OverviewCounts {
  at: number
  items: ItemHour[]
  /** Sign-ins and syncs of the last day that did not work. */
  failures: FailureCount[]
}

interface Deps {
  database: Database
  clock: Clock
}

/** How far back the overview goes. */
export const WEEK_HOURS = 7 * 24
const DAY_MS = 24 * HOUR_MS
/** Reading takes at most this share of the time. Figures are used for at least some seconds and at most a minute. */
const SHARE_OF_TIME = 1 / 50
const SHORTEST_TTL_MS = 5000
const LONGEST_TTL_MS = 60_000

interface Cached {
  figures: OverviewFigures | undefined
  expiresAt: number
  running: Promise<OverviewFigures> | undefined
}

const caches = new WeakMap<Database, Cached>()

/** The figures of all apps, read at most every few seconds in a process. */
export async function overviewFigures(deps: Deps): Promise<OverviewFigures> {
  const cached = caches.get(deps.database) ?? { figures: undefined, expiresAt: 0, running: undefined }
  caches.set(deps.database, cached)
  if (cached.figures !== undefined && deps.clock.now() < cached.expiresAt) return cached.figures
  cached.running ??= refresh(deps, cached).finally(() => {
    cached.running = undefined
  })
  return cached.running
}

async function refresh({ database, clock }: Deps, cached: Cached): Promise<OverviewFigures> {
  const [began, at] = [performance.now(), clock.now()]
  const counts = await readOverviewCounts(database.background, at, at - DAY_MS)
  const items = await readItems(database, at, cached.figures)
  const failures = await countFailures(database.background, at - DAY_MS, at)
  const figures = { at, items, failures, ...counts }
  cached.figures = figures
  const ttlMs = (performance.now() - began) / SHARE_OF_TIME
  cached.expiresAt = at + Math.min(LONGEST_TTL_MS, Math.max(SHORTEST_TTL_MS, ttlMs))
  return figures
}

/** Hours that ended some time ago do not change any more, so they are read once. */
async function readItems(
  { background }: Database,
  at: number,
  known: OverviewFigures | undefined,
): Promise<ItemHour[]> {
  const oldest = at - (at % HOUR_MS) - (WEEK_HOURS - 1) * HOUR_MS
  // A transaction counts its items in the hour in which it began, and commits later.
  const changingSince = known === undefined ? oldest : Math.max(oldest, known.at - (known.at % HOUR_MS) - HOUR_MS)
  const kept = known?.items.filter(({ hour }) => hour >= oldest && hour < changingSince) ?? []
  return [...kept, ...(await sumItemHours(background, changingSince))]
}
