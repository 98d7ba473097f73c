import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { recountProfile, staleProfiles } from '#store/app-usage.ts'

/** Counts are updated with the items; recounting corrects what a restored backup or an older release left wrong. */
const RECOUNT_AFTER_MS = 7 * 86_400_000
/** Limit: profiles that one run of maintenance recounts; the next run continues. */
const MAX_PROFILES = 5000
/** Limit: items of these profiles that one run of maintenance recounts; the next run continues. */
const MAX_ITEMS = 500_000

/** Returns how many counts were wrong. */
export async function recountProfiles({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
  let [wrong, items] = [0, 0]
  for (const key of await staleProfiles(database, clock.now() - RECOUNT_AFTER_MS, MAX_PROFILES)) {
    const done = await recountProfile(database, key, clock.now())
    items += done?.items ?? 0
    if (done?.wrong === true) wrong += 1
    if (items >= MAX_ITEMS) break
  }
  return wrong
}
