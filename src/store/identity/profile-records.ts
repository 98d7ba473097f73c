import type { Profile } from '#model/accounts/profile.ts'
import { shardOf } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { rowsOfShards } from '../each-shard.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { PROFILE_COLUMNS, PROFILE_WITH_SCHEDULE, type ProfileRow, toProfile } from './profiles.ts'

/** A profile, the seq of its newest change, and the profile that it was merged into. */
export interface ProfileRecord {
  profile: Profile
  seq: number
  duplicate: ProfileKey | undefined
}

interface Row extends ProfileRow {
  seq: number | null
  merged_into: string | null
}

const columns = `${PROFILE_COLUMNS}, s.seq, nullif(p.merged_into, p.id) as merged_into` as const
const findAll = statement(
  'profile-records',
  `select ${columns} from unnest($shards::smallint[], $ids::text[]) as wanted (shard, id)
   join profile p on p.shard = wanted.shard and p.id = wanted.id
   left join profile_sync s on s.shard = p.shard and s.profile_id = p.id`,
)
const findOfShard = statement(
  'profile-records-of-shard',
  `select ${columns} from ${PROFILE_WITH_SCHEDULE} where p.shard = $shard and p.id = any($ids::text[])`,
)

/** Those of these profiles that exist, by their id. One statement; on a sharded server one for each shard. */
export async function findProfileRecords(
  queries: Queries,
  keys: readonly ProfileKey[],
): Promise<Map<string, ProfileRecord>> {
  const rows = await readRows(queries, keys)
  return new Map(
    rows.map((row) => {
      const shard = row.merged_into === null ? undefined : shardOf(row.merged_into)
      const duplicate = shard === undefined ? undefined : { shard, profileId: row.merged_into! }
      return [row.id, { profile: toProfile(row), seq: row.seq ?? 0, duplicate }]
    }),
  )
}

async function readRows(queries: Queries, keys: readonly ProfileKey[]): Promise<Row[]> {
  if (keys.length === 0) return []
  const [shards, ids] = [keys.map(({ shard }) => shard), keys.map(({ profileId }) => profileId)]
  if (!(await isSharded(queries))) return queries.rows<Row>(findAll.with({ shards, ids }))
  const byShard = Map.groupBy(keys, ({ shard }) => shard)
  return rowsOfShards<Row>(queries, [...byShard.keys()], (shard) =>
    findOfShard.with({ shard, ids: byShard.get(shard)!.map(({ profileId }) => profileId) }),
  )
}
