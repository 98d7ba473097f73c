import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'

/** Profiles of one step: few, because each may have many tombstones. */
const PROFILES = 200

const walk = statement(
  'tombstone-walk',
  `select shard, profile_id from profile_sync where (shard, profile_id) > ($afterShard, $afterId)
   order by shard, profile_id limit $limit`,
)
const range =
  '(p.shard, p.profile_id) > ($afterShard, $afterId) and (p.shard, p.profile_id) <= ($lastShard, $lastId)' as const
const purge = statement(
  'tombstone-purge',
  `delete from item_tombstone t using profile_sync p
   where ${range} and p.forgotten_seq > 0
     and t.shard = p.shard and t.profile_id = p.profile_id and t.seq <= p.forgotten_seq and t.deleted_at < $before`,
)
// What a destination has not delivered yet stays, however old it is.
const forget = statement(
  'tombstone-forget',
  `update profile_sync p set forgotten_seq = old.seq from (
     select t.shard, t.profile_id, max(t.seq) as seq from item_tombstone t
     where (t.shard, t.profile_id) > ($afterShard, $afterId) and (t.shard, t.profile_id) <= ($lastShard, $lastId)
       and t.deleted_at < $before
       and not exists (select from delivery_cursor c
         where c.shard = t.shard and c.profile_id = t.profile_id and c.seq < t.seq)
     group by t.shard, t.profile_id) old
   where p.shard = old.shard and p.profile_id = old.profile_id and p.forgotten_seq < old.seq`,
)

/**
 * Removes tombstones of some profiles in two runs: this one announces up to where they are forgotten, and the next one deletes them.
 * So a reader who looked at the announcement first finds every tombstone that it relies on, and a crash in between is harmless.
 */
export async function forgetTombstones(queries: Queries, before: number, position: Position = []): Promise<Batch> {
  const [afterShard = -1, afterId = ''] = position
  const keys = await queries.rows<{ shard: number; profile_id: string }>(
    walk.with({ afterShard, afterId, limit: PROFILES }),
  )
  const last = keys.at(-1)
  if (last === undefined) return { done: 0, more: false }
  const values = { afterShard, afterId, lastShard: last.shard, lastId: last.profile_id, before }
  const done = await queries.count(purge.with(values))
  await queries.count(forget.with(values))
  return keys.length < PROFILES ? { done, more: false } : { done, more: true, position: [last.shard, last.profile_id] }
}
