import type { Profile } from '#model/profile.ts'
import type { ChangedItem } from '#store/items/changes.ts'
import { itemsOfProfiles } from '#store/items/match.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import type { DeliverDeps } from '../deps.ts'
import { type Filter, wantedItems } from '../filter.ts'

/** Whose items go out. */
export interface Source {
  profile: Profile
  /** The paths of the filter that could show anything of it. */
  paths: Filter
  /** The profile it was folded into by a merge. */
  duplicate: ProfileKey | undefined
}

/** The ids among these items that the destination is to have of this profile. */
export async function wantedOf(
  deps: DeliverDeps,
  { profile, paths, duplicate }: Source,
  items: ChangedItem[],
): Promise<Set<string>> {
  const wanted = await wantedItems(deps, paths, profile, items)
  // What a merge brought together twice is there once: under the profile that still syncs.
  if (duplicate !== undefined && wanted.size > 0)
    for (const id of await itemsOfProfiles(deps.database, duplicate, [...wanted])) wanted.delete(id)
  return wanted
}
