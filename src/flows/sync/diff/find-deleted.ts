import type { Endpoint } from '#kit/endpoints/endpoint.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { itemIdsSince } from '#store/items/items.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'

/** Plausible deletions: this many of any list; this many where most is left; this share of a long list. */
const FEW = 3
const SOME = 10
const SHARE = 0.2

export interface Deletions {
  ids: string[]
  /** More missing items than is plausible: kept, and counted until confirmed. */
  suspects: number
}

/** Stored items that a complete walk should have shown but did not. */
export async function findDeleted(
  queries: Queries,
  key: ProfileKey,
  name: string,
  endpoint: Endpoint,
  walk: {
    seen: Set<string>
    oldestAt: number | undefined
    watermark: string | number | undefined
    /** The request for this run confirmed that missing items are deleted. */
    isConfirmed: boolean
  },
): Promise<Deletions> {
  const { deletes, checkpoint } = endpoint
  // A walk from a watermark shows only newer items, so older ones are not missing.
  const isIncremental = walk.watermark !== undefined && checkpoint !== undefined
  if (deletes === 'none' || (isIncremental && deletes === 'all')) return { ids: [], suspects: 0 }
  // Items of the same time as the oldest shown may be on a further page, so the window begins just after it.
  const fromAt = isIncremental ? (walk.oldestAt ?? Number.MAX_SAFE_INTEGER) + 1 : Number.MIN_SAFE_INTEGER
  const stored = await itemIdsSince(queries, key, name, fromAt)
  const ids = stored.filter((id) => !walk.seen.has(id))
  // What we computed ourselves is right, however much is missing.
  return walk.isConfirmed || endpoint.computed !== undefined || isPlausible(ids.length, stored.length)
    ? { ids, suspects: 0 }
    : { ids: [], suspects: ids.length }
}

/** A service that suddenly shows half or nothing is more likely broken than emptied by the person. */
export function isPlausible(deleted: number, stored: number): boolean {
  if (deleted === stored) return deleted <= 1
  return deleted <= FEW || (deleted <= SOME && deleted * 2 < stored) || deleted <= stored * SHARE
}
