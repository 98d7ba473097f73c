import { type Queries, statement } from '#platform/postgres/database.ts'
import { autoPrepare } from '#platform/postgres/statement-cache.ts'
import type { ProfileKey } from '../sync/schedule.ts'
import { hexId } from './item-ids.ts'
import { Values } from './predicates.ts'

/** One change of a profile, without the content of the item. */
export interface ChangeKey {
  profileId: string
  seq: number
  id: string
  /** When the item was written or deleted. */
  at: number
  /** The item's types; null when it was deleted. */
  types: number | null
  endpoint: string
  nativeId: string
}

const findLatest = statement(
  'changes-latest-all',
  'select profile_id, seq from profile_sync where shard = any($shards) and profile_id = any($profileIds)',
)

/** The newest seq of each of these profiles. */
export async function latestChanges(queries: Queries, profiles: readonly ProfileKey[]): Promise<Map<string, number>> {
  if (profiles.length === 0) return new Map()
  const shards = [...new Set(profiles.map(({ shard }) => shard))]
  const profileIds = profiles.map(({ profileId }) => profileId)
  const rows = await queries.rows<{ profile_id: string; seq: number }>(findLatest.with({ shards, profileIds }))
  return new Map(rows.map(({ profile_id, seq }) => [profile_id, seq]))
}

/**
 * The changes of several profiles after a seq of each, at most `limit` items and `limit` tombstones of each profile. One
 * statement, so that all of them are of one moment: a profile's seqs are assigned under a lock that is held until the
 * commit, so a statement that sees a seq also sees all lesser ones.
 */
export async function changeKeysAfter(
  queries: Queries,
  positions: readonly (ProfileKey & { seq: number })[],
  limit: number,
): Promise<ChangeKey[]> {
  if (positions.length === 0) return []
  const values = new Values()
  const maxRows = values.add(limit)
  const lists = positions.flatMap(({ shard, profileId, seq }) => {
    const where = `where shard = ${values.add(shard)} and profile_id = ${values.add(profileId)}
      and seq > ${values.add(seq)} order by seq limit ${maxRows}`
    return [
      `(select profile_id, seq, ${hexId('id')} as id, updated_at as at, types, endpoint, native_id from item ${where})`,
      `(select profile_id, seq, ${hexId('id')}, deleted_at, null::integer, endpoint, native_id from item_tombstone ${where})`,
    ]
  })
  const rows = await queries.rows<KeyRow>(autoPrepare(lists.join(' union all ')), values.list)
  return rows.map(({ profile_id, native_id, ...row }) => ({ ...row, profileId: profile_id, nativeId: native_id }))
}

interface KeyRow {
  profile_id: string
  seq: number
  id: string
  at: number
  types: number | null
  endpoint: string
  native_id: string
}
