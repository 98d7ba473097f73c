import type { Profile } from '#model/accounts/profile.ts'
import { findDuplicate, findProfile } from '#store/identity/profiles.ts'
import { type ReadableProfile, readableAlone } from '#store/identity/readable-profiles.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import type { DeliverDeps } from './deps.ts'
import { type Filter, pathsFor } from './filter.ts'

/** The profile whose items are delivered, and which of them a destination wants. */
export interface ProfileSource {
  profile: Profile
  /** Without items that the profile has which it was merged into: they are delivered once, under the profile that still syncs. */
  readable: ReadableProfile
  /** The paths of the filter that can match items of this profile. */
  paths: Filter
}

/** Undefined when the profile was disconnected. */
export async function findSource(
  { database }: Pick<DeliverDeps, 'database'>,
  filter: Filter,
  { shard, profileId }: ProfileKey,
): Promise<ProfileSource | undefined> {
  const profile = await findProfile(database, shard, profileId)
  if (profile === undefined) return undefined
  return sourceOf({ database }, filter, profile)
}

export async function sourceOf(
  { database }: Pick<DeliverDeps, 'database'>,
  filter: Filter,
  profile: Profile,
): Promise<ProfileSource> {
  const readable = readableAlone(profile, await findDuplicate(database, profile))
  return { profile, readable, paths: pathsFor(filter, profile) }
}
