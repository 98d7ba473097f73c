import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { countStates, type StateCounts } from '#store/sync/state-counts.ts'

/** Counting reads every profile, and metrics may be scraped every few seconds. */
const COUNTS_TTL_MS = 60_000

/** Returns a function that counts profiles by state and failing endpoints by reason, at most once a minute. */
export function createStateCounts(): (deps: { database: Database; clock: Clock }) => Promise<StateCounts> {
  let last: { counts: StateCounts; expiresAt: number } | undefined
  return async ({ database, clock }) => {
    const nowMs = clock.now()
    if (last !== undefined && nowMs < last.expiresAt) return last.counts
    last = { counts: await countStates(database.background, nowMs), expiresAt: nowMs + COUNTS_TTL_MS }
    return last.counts
  }
}
