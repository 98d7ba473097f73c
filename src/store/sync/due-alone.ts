import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

// Of every shard; an index has only the profiles with which a worker died.
const findAlone = statement(
  'sync-due-alone',
  `select shard, profile_id from profile_sync
   where alone_until > $nowMs and alone_until > 0 and next_run_at <= $untilMs order by next_run_at limit $limit`,
)

/** Profiles with which a worker died and that are due until then, the one that has been due longest first. */
export async function profilesDueAlone(
  queries: Queries,
  nowMs: number,
  untilMs: number,
  limit: number,
): Promise<ProfileKey[]> {
  const rows = await queries.rows<{ shard: number; profile_id: string }>(findAlone.with({ nowMs, untilMs, limit }))
  return rows.map(({ shard, profile_id: profileId }) => ({ shard, profileId }))
}
