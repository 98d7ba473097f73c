import type { Account, ProfileRef, ReadingAccount } from '#model/account.ts'
import type { Selection } from '#model/query.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../sync/schedule.ts'

/** A profile whose items may be read. */
export interface ReadableProfile extends ProfileRef {
  /** Profiles of the same service user that a merge added and that take precedence: their copy of an item is read. */
  duplicates: ProfileKey[]
  /** Only these of its items, instead of the selection of the query. A profile may be listed once for each of several parts. */
  selection?: Selection
}

export interface ProfileRefRow {
  ref_shard: number
  ref_id: string
  ref_service: string
  ref_owner: string
}

/** For statements that read profile references as well, from `profile p`. */
export const profileRefColumns =
  'p.shard as ref_shard, p.id as ref_id, p.service as ref_service, p.native_id as ref_owner'
// The profile that was connected last comes first. Of duplicates, the one that is synced precedes those merged into it.
export const profileRefOrder = 'order by p.service, p.merged_into is not null, p.connected_at desc, p.id desc'

export function toProfileRef(row: ProfileRefRow): ProfileRef {
  return { shard: row.ref_shard, profileId: row.ref_id, service: row.ref_service, owner: row.ref_owner }
}

const list = statement(
  'profile-readable',
  `select ${profileRefColumns} from profile p
   where p.shard = any($shards) and p.account_id = $accountId ${profileRefOrder}`,
)

/** Every profile whose items belong to the account, including those that were merged into another. */
export async function listReadable(queries: Queries, account: Account): Promise<ReadableProfile[]> {
  if (account.profiles !== undefined) return withDuplicates(account.profiles)
  const rows = await queries.rows<ProfileRefRow>(list.with({ shards: account.shards, accountId: account.id }))
  return withDuplicates(rows.map(toProfileRef))
}

/** The same for an account that the statement which reads items verifies. */
export async function listReadableUnproven(queries: Queries, account: ReadingAccount): Promise<ReadableProfile[]> {
  return 'cached' in account ? withDuplicates(account.cached.profiles) : listReadable(queries, account)
}

function withDuplicates(profiles: readonly ProfileRef[]): ReadableProfile[] {
  return profiles.map((profile, i) => ({
    ...profile,
    duplicates: profiles
      .slice(0, i)
      .filter(({ service, owner }) => service === profile.service && owner === profile.owner),
  }))
}
