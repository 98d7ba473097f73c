import type { Account, Held, ReadingAccount } from '#model/account.ts'
import { type Queries, statement } from './database.ts'
import type { ProfileKey } from './sync-schedule.ts'

/** A profile whose items may be read. */
export interface Readable extends Held {
  /** Profiles of the same service user, brought together by a merge, whose copy of an item is read instead of this one's. */
  twins: ProfileKey[]
}

export interface HeldRow {
  held_part: number
  held_id: string
  held_service: string
  held_owner: string
}

/** For other statements that read profiles along, as `p`. */
export const heldColumns = 'p.part as held_part, p.id as held_id, p.service as held_service, p.native_id as held_owner'
// The one that still syncs comes first among twins, then the one that was connected last.
export const heldOrder = 'order by p.service, p.native_id, p.merged_into is not null, p.connected_at desc, p.id'

export function toHeld(row: HeldRow): Held {
  return { part: row.held_part, profileId: row.held_id, service: row.held_service, owner: row.held_owner }
}

const list = statement(
  'profile-readable',
  `select ${heldColumns} from profile p where p.part = any($1) and p.account_id = $2 ${heldOrder}`,
)

/** Every profile whose items belong to the account, also those that a merge folded into another. */
export async function listReadable(queries: Queries, account: Account): Promise<Readable[]> {
  return withTwins(account.holds ?? (await queries.rows<HeldRow>(list, [account.parts, account.id])).map(toHeld))
}

/** The same for an account that is proven when it is read with. */
export async function listReadableUnproven(queries: Queries, account: ReadingAccount): Promise<Readable[]> {
  return 'cached' in account ? withTwins(account.cached.holds) : listReadable(queries, account)
}

function withTwins(holds: readonly Held[]): Readable[] {
  return holds.map((profile, i) => ({
    ...profile,
    twins: holds.slice(0, i).filter(({ service, owner }) => service === profile.service && owner === profile.owner),
  }))
}
