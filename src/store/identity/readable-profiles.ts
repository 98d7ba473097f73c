import type { Account, OwnedProfile, ProfileRef, VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { Profile, ProfileState } from '#model/accounts/profile.ts'
import type { Selection } from '#model/items/query.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { rowsOfShards } from '../each-shard.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

const copiesBefore: unique symbol = Symbol('copies before')

/**
 * A profile whose items may be read. Only the functions of this file make one, so that none is made without the copies that take
 * precedence over its own.
 */
export interface ReadableProfile extends ProfileRef {
  /** Profiles of the same service user that a merge added and that take precedence: their copy of an item is read. */
  readonly [copiesBefore]: readonly ProfileKey[]
  /** Only these of its items, instead of the selection of the query. A profile may be listed once for each of several parts. */
  selection?: Selection
}

export interface ProfileRefRow {
  ref_shard: number
  ref_id: string
  ref_service: string
  ref_owner: string
  ref_is_merged: boolean
  ref_connected_at: number
  ref_state: ProfileState
}

/** For statements that read profile references as well, from `profile p`. */
export const profileRefColumns = `p.shard as ref_shard, p.id as ref_id, p.service as ref_service, p.native_id as ref_owner,
  p.merged_into is not null as ref_is_merged, p.connected_at as ref_connected_at, p.state as ref_state`
// The profile that was connected last comes first. Of duplicates, the one that is synced precedes those merged into it.
export const profileRefOrder = 'order by p.service, p.merged_into is not null, p.connected_at desc, p.id desc'

/** The order of `profileRefOrder`, for rows of several shards. */
function compareRefs(a: ProfileRefRow, b: ProfileRefRow): number {
  return (
    compareText(a.ref_service, b.ref_service) ||
    Number(a.ref_is_merged) - Number(b.ref_is_merged) ||
    b.ref_connected_at - a.ref_connected_at ||
    compareText(b.ref_id, a.ref_id)
  )
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** In the order in which they are read. */
export function toProfileRefs(rows: readonly ProfileRefRow[]): OwnedProfile[] {
  return rows.toSorted(compareRefs).map((row) => ({
    shard: row.ref_shard,
    profileId: row.ref_id,
    service: row.ref_service,
    owner: row.ref_owner,
    isMerged: row.ref_is_merged,
    state: row.ref_state,
    connectedAt: row.ref_connected_at,
  }))
}

const list = statement(
  'profile-readable',
  `select ${profileRefColumns} from profile p where p.shard = $shard and p.account_id = $accountId`,
)

/** The profiles of an account in these shards. */
export function profileRefsIn(
  queries: Queries,
  shards: readonly number[],
  accountId: string,
): Promise<ProfileRefRow[]> {
  return rowsOfShards<ProfileRefRow>(queries, shards, (shard) => list.with({ shard, accountId }))
}

/** Every profile of an account, including those that were merged into another. */
export async function profileRefsOf(queries: Queries, account: Account): Promise<OwnedProfile[]> {
  return account.profiles ?? toProfileRefs(await profileRefsIn(queries, account.shards, account.id))
}

/** Every profile whose items belong to the account. */
export async function listReadable(queries: Queries, account: Account): Promise<ReadableProfile[]> {
  return withDuplicates(await profileRefsOf(queries, account))
}

/** Like `listReadable`, for an account that the statement which reads items verifies. */
export async function listReadableUnproven(
  queries: Queries,
  account: VerifiedOrCachedAccount,
): Promise<ReadableProfile[]> {
  return 'cached' in account ? withDuplicates(account.cached.profiles) : listReadable(queries, account)
}

function withDuplicates(profiles: readonly ProfileRef[]): ReadableProfile[] {
  return profiles.map((profile, i) => ({
    ...profile,
    [copiesBefore]: profiles
      .slice(0, i)
      .filter(({ service, owner }) => service === profile.service && owner === profile.owner),
  }))
}

/** One profile of an app, for those who get every profile under its own id. `mergedInto` has the copies that they get instead. */
export function readableAlone(
  { shard, id, service, nativeId }: Profile,
  mergedInto: ProfileKey | undefined,
): ReadableProfile {
  const before = mergedInto === undefined ? [] : [mergedInto]
  return { shard, profileId: id, service, owner: nativeId, [copiesBefore]: before }
}

/** The profiles whose copies of an item are read instead of this one's. */
export function profilesBefore(profile: ReadableProfile): readonly ProfileKey[] {
  return profile[copiesBefore]
}

/** Whether the profile is one that people see: no other of the same service user takes precedence. */
export function isFirstOfUser(profile: ReadableProfile): boolean {
  return profile[copiesBefore].length === 0
}
