import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { recountProfile, staleProfiles } from '#store/app-usage.ts'
import type { Batch } from '#store/delete-in-batches.ts'

/** Counts are updated with the items; recounting corrects what a restored backup or an older release left wrong. */
const RECOUNT_AFTER_MS = 7 * 86_400_000
/** Limit: profiles that one step of maintenance recounts; the next step continues. */
const MAX_PROFILES = 200
/** Limit: items that one step of maintenance recounts; the next step continues. */
const MAX_ITEMS = 20_000

/** Recounts some profiles. Returns how many counts were wrong. One that cannot be counted does not keep the others. */
export async function recountProfiles({ database, clock }: { database: Database; clock: Clock }): Promise<Batch> {
  let [wrong, counted, items] = [0, 0, 0]
  const failures: unknown[] = []
  const stale = await staleProfiles(database, clock.now() - RECOUNT_AFTER_MS, MAX_PROFILES)
  for (const key of stale) {
    try {
      const done = await recountProfile(database, key, clock.now())
      if (done !== undefined) counted += 1
      items += done?.items ?? 0
      if (done?.wrong === true) wrong += 1
    } catch (error) {
      failures.push(error)
    }
    if (items >= MAX_ITEMS) break
  }
  if (failures.length > 0) throw failures[0]
  // Profiles that changed while they were counted are counted in a later run.
  return { done: wrong, more: counted > 0 && stale.length === MAX_PROFILES }
}
