import type { Profile } from '#model/profile.ts'
import type { ChangedItem } from '#store/changes.ts'
import { itemsHeldBy } from '#store/item-match.ts'
import type { ProfileKey } from '#store/sync-schedule.ts'
import { type Filter, wantedItems } from './filter.ts'
import type { DeliverNeed } from './need.ts'

/** Whose items go out. */
export interface Source {
  profile: Profile
  /** The paths of the filter that could show anything of it. */
  paths: Filter
  /** The profile it was folded into by a merge. */
  twin: ProfileKey | undefined
}

/** The ids among these items that the destination is to have of this profile. */
export async function wantedOf(
  need: DeliverNeed,
  { profile, paths, twin }: Source,
  items: ChangedItem[],
): Promise<Set<string>> {
  const wanted = await wantedItems(need, paths, profile, items)
  // What a merge brought together twice is there once: under the profile that still syncs.
  if (twin !== undefined && wanted.size > 0)
    for (const id of await itemsHeldBy(need.database, twin, [...wanted])) wanted.delete(id)
  return wanted
}
