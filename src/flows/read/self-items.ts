import { crc32 } from 'node:zlib'
import { isSelfEndpoint, SELF_ENDPOINT, SELF_TYPE } from '#kit/connector/self-map.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { globalId } from '#model/items/idr.ts'
import { timeIn } from '#platform/crypto/ids.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { findProfile } from '#store/identity/profiles.ts'
import { isFirstOfUser, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import type { FoundItem } from '#store/items/query.ts'

/** The service's own record of a person as an item. It is stored with the profile, not with the items. */
export function selfItemOf(profile: Profile): FoundItem {
  const { nativeId, service } = profile
  return {
    profileId: profile.id,
    id: selfItemHash(service, nativeId),
    endpoint: SELF_ENDPOINT,
    nativeId,
    at: timeIn(profile.id),
    updatedAt: profile.updatedAt,
    types: 0,
    guid: [],
    oembed: '{}',
    data: profile.data,
    // It has no number in the order of changes. A checksum also notices a change within one millisecond.
    seq: crc32(profile.data),
  }
}

/** The profiles whose own record is an item: those that people see. Duplicates of a merge have the same record. */
export function withSelf(readable: readonly ReadableProfile[]): ReadableProfile[] {
  return readable.filter(isFirstOfUser)
}

/** When the own records of a service were first seen, for counts. */
export function selfTimes(readable: readonly ReadableProfile[]): number[] {
  const ofPeople = withSelf(readable).filter(({ service }) => isSelfEndpoint(service, SELF_ENDPOINT))
  return ofPeople.map(({ profileId }) => timeIn(profileId))
}

/** The own record with this hash, among the profiles of an account. */
export async function findSelfItem(
  { database }: { database: Queries },
  readable: readonly ReadableProfile[],
  hash: string,
): Promise<FoundItem | undefined> {
  const found = withSelf(readable).find(
    (profile) =>
      isSelfEndpoint(profile.service, SELF_ENDPOINT) && selfItemHash(profile.service, profile.owner) === hash,
  )
  const profile = found && (await findProfile(database, found.shard, found.profileId))
  return profile && selfItemOf(profile)
}

/** The hash in the id of a person's own record. */
export function selfItemHash(service: string, owner: string): string {
  return globalId({ type: SELF_TYPE, owner, service, endpoint: SELF_ENDPOINT, item: owner }).slice(0, 32)
}
