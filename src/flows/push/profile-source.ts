import type { Profile } from '#model/profile.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import type { ChangedItem } from '#store/items/changes.ts'
import { itemsOfProfiles } from '#store/items/hidden-copies.ts'
import type { ProfileKey } from '#store/sync/schedule.ts'
import type { DeliverDeps } from './deps.ts'
import { type Filter, pathsFor, wantedItems } from './filter.ts'

/** The profile whose items are delivered, and which of them a destination wants. */
export interface ProfileSource {
  profile: Profile
  /** The paths of the filter that can match items of this profile. */
  paths: Filter
  /** The profile that it was merged into. */
  duplicate: ProfileKey | undefined
}

/** Undefined when the profile was disconnected. */
export async function findSource(
  { database }: Pick<DeliverDeps, 'database'>,
  filter: Filter,
  { shard, profileId }: ProfileKey,
): Promise<ProfileSource | undefined> {
  const profile = await findProfile(database, shard, profileId)
  if (profile === undefined) return undefined
  return { profile, paths: pathsFor(filter, profile), duplicate: await findDuplicate(database, profile) }
}

/** The ids among these items that the destination gets from this profile. */
export async function selectItems(
  deps: Pick<DeliverDeps, 'database'>,
  { profile, paths, duplicate }: ProfileSource,
  items: ChangedItem[],
): Promise<Set<string>> {
  const wanted = await wantedItems(deps, paths, profile, items)
  // An item that both merged profiles have is delivered once, under the profile that still syncs.
  if (duplicate !== undefined && wanted.size > 0)
    for (const id of await itemsOfProfiles(deps.database, duplicate, [...wanted])) wanted.delete(id)
  return wanted
}
