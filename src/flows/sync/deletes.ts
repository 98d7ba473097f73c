import type { Endpoint } from '#kit/endpoint.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { itemIdsSince } from '#store/items/items.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'

/** So few may vanish from any list; a few more from one of which most is still there; from a long one this share. */
const A_FEW = 3
const SOME = 10
const SHARE = 0.2

export interface Deletions {
  ids: string[]
  /** Too many to believe: kept, and counted until somebody confirms. */
  suspects: number
}

/** What a whole walk should have shown again but did not. */
export async function findDeleted(
  queries: Queries,
  key: ProfileKey,
  name: string,
  endpoint: Endpoint,
  walk: {
    seen: Set<string>
    oldestAt: number | undefined
    watermark: string | number | undefined
    /** Somebody gave their word for this run. */
    confirmed: boolean
  },
): Promise<Deletions> {
  const { deletes, checkpoint } = endpoint
  // A walk that asked only for what is newer says nothing of what is older.
  const partial = walk.watermark !== undefined && checkpoint !== undefined
  if (deletes === 'none' || (partial && deletes === 'all')) return { ids: [], suspects: 0 }
  // Ties at the oldest time shown may lie beyond the last page, so the window begins just after it.
  const fromAt = partial ? (walk.oldestAt ?? Number.MAX_SAFE_INTEGER) + 1 : Number.MIN_SAFE_INTEGER
  const stored = await itemIdsSince(queries, key, name, fromAt)
  const ids = stored.filter((id) => !walk.seen.has(id))
  return walk.confirmed || isBelievable(ids.length, stored.length)
    ? { ids, suspects: 0 }
    : { ids: [], suspects: ids.length }
}

/** A service that suddenly shows half or nothing is more likely broken than forsaken. */
export function isBelievable(deleted: number, stored: number): boolean {
  if (deleted === stored) return deleted <= 1
  return deleted <= A_FEW || (deleted <= SOME && deleted * 2 < stored) || deleted <= stored * SHARE
}
