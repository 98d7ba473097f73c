import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { findProfileRecords } from '#store/identity/profile-records.ts'
import { type ReadableProfile, readableAlone } from '#store/identity/readable-profiles.ts'
import type { ChangesDeps, ChangesRequest } from '../changes.ts'
import { filterByName } from '../filter-profiles.ts'

/** A profile as readers of a feed get it. */
export interface Shown {
  readable: ReadableProfile
  /** JSON text of the fields that say whose an item is. */
  owner: string
  /** The profile itself, as an entry. */
  entry: string
  /** The seq of its newest change. */
  latest: number
}

/** By id, those of these profiles that exist and whose service the reader follows. */
export async function findShown(
  { database, registry }: ChangesDeps,
  { services }: ChangesRequest,
  ids: readonly string[],
): Promise<Map<string, Shown>> {
  const keys = [...new Set(ids)].map((profileId) => ({ shard: shardIn(profileId), profileId }))
  const shown = new Map<string, Shown>()
  for (const { profile, duplicate, seq } of (await findProfileRecords(database, keys)).values()) {
    // The reader gets the items of every profile, and the entry of the profile says into which one it was merged.
    const readable = readableAlone(profile, undefined)
    if (services !== undefined && filterByName(registry, [readable], services).length === 0) continue
    const owner = JSON.stringify({ account: profile.accountId, profile: profile.id }).slice(1, -1)
    const entry = profileEntry(profile, duplicate?.profileId)
    shown.set(profile.id, { readable, owner: `${owner},`, entry, latest: seq })
  }
  return shown
}

function profileEntry(profile: Profile, mergedInto: string | undefined): string {
  return JSON.stringify({
    change: 'profile',
    profile: {
      id: profile.id,
      account: profile.accountId,
      profile: profileName(profile),
      service: profile.service,
      native_id: profile.nativeId,
      name: profile.person.name,
      handle: profile.person.handle,
      // A rate limit passes, and is not recorded.
      state: profile.state === 'limited' ? 'active' : profile.state,
      connected_at: profile.connectedAt,
      merged_into: mergedInto,
    },
  })
}
