import type { Account, ProfileRef, ReadingAccount } from '#model/account.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

/** A profile whose items may be read. */
export interface ReadableProfile extends ProfileRef {
  /** Profiles of the same service user, brought together by a merge, whose copy of an item is read instead of this one's. */
  duplicates: ProfileKey[]
}

export interface ProfileRefRow {
  ref_shard: number
  ref_id: string
  ref_service: string
  ref_owner: string
}

/** For other statements that read profiles along, as `p`. */
export const profileRefColumns =
  'p.shard as ref_shard, p.id as ref_id, p.service as ref_service, p.native_id as ref_owner'
// The one that still syncs comes first among twins, then the one that was connected last.
export const profileRefOrder = 'order by p.service, p.native_id, p.merged_into is not null, p.connected_at desc, p.id'

export function toProfileRef(row: ProfileRefRow): ProfileRef {
  return { shard: row.ref_shard, profileId: row.ref_id, service: row.ref_service, owner: row.ref_owner }
}

const list = statement(
  'profile-readable',
  `select ${profileRefColumns} from profile p where p.shard = any($1) and p.account_id = $2 ${profileRefOrder}`,
)

/** Every profile whose items belong to the account, also those that a merge folded into another. */
export async function listReadable(queries: Queries, account: Account): Promise<ReadableProfile[]> {
  return withTwins(
    account.profiles ?? (await queries.rows<ProfileRefRow>(list, [account.shards, account.id])).map(toProfileRef),
  )
}

/** The same for an account that is proven when it is read with. */
export async function listReadableUnproven(queries: Queries, account: ReadingAccount): Promise<ReadableProfile[]> {
  return 'cached' in account ? withTwins(account.cached.profiles) : listReadable(queries, account)
}

function withTwins(profiles: readonly ProfileRef[]): ReadableProfile[] {
  return profiles.map((profile, i) => ({
    ...profile,
    duplicates: profiles
      .slice(0, i)
      .filter(({ service, owner }) => service === profile.service && owner === profile.owner),
  }))
}
