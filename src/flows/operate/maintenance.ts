import { purgeAppDeletions } from '#store/app-deletions.ts'
import { purgeAttempts } from '#store/attempts.ts'
import { purgeBudgets } from '#store/budgets.ts'
import { purgeCalls } from '#store/calls.ts'
import { purgeDeliveries, purgeOrphanLetters } from '#store/deliveries.ts'
import { openMissingCursors, removeOrphanCursors } from '#store/delivery-cursors.ts'
import { purgeEvents } from '#store/push-events.ts'
import { recountProfiles } from './recount.ts'
import { type ReviewNeed, reviewQuotas } from './review-quotas.ts'

const ATTEMPTS_KEPT_MS = 3_600_000
const CALLS_KEPT_MS = 14 * 86_400_000
const BUDGETS_KEPT_MS = 7 * 86_400_000
const DELIVERIES_KEPT_MS = 14 * 86_400_000
const DELETIONS_KEPT_MS = 90 * 86_400_000
const EVENTS_KEPT_MS = 30 * 86_400_000

interface Tidied {
  attempts: number
  calls: number
  budgets: number
  deliveries: number
  events: number
  deletions: number
  /** What belonged to destinations that went with their app. */
  orphans: number
  /** Ways from a profile to a destination that were missing. */
  cursors: number
  /** Counts of stored items that were wrong. */
  miscounted: number
  /** Quotas that are no longer nearly used up. */
  quotas: number
}

/** Drops what has served its time. Runs every few minutes; losing or repeating a run is harmless. */
export async function tidy(need: ReviewNeed): Promise<Tidied> {
  const { database, clock } = need
  return {
    attempts: await purgeAttempts(database, clock.now() - ATTEMPTS_KEPT_MS),
    calls: await purgeCalls(database, clock.now() - CALLS_KEPT_MS),
    budgets: await purgeBudgets(database, clock.now() - BUDGETS_KEPT_MS),
    deliveries: await purgeDeliveries(database, clock.now() - DELIVERIES_KEPT_MS),
    events: await purgeEvents(database, clock.now() - EVENTS_KEPT_MS),
    deletions: await purgeAppDeletions(database, clock.now() - DELETIONS_KEPT_MS),
    orphans: (await removeOrphanCursors(database)) + (await purgeOrphanLetters(database)),
    cursors: await openMissingCursors(database, clock.now()),
    miscounted: await recountProfiles(need),
    quotas: await reviewQuotas(need),
  }
}
