import { shardOf } from '#platform/crypto/ids.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { takeInShards } from '../cluster/take-in-shards.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { countInShards } from '../each-shard.ts'
import { shardsOfApp } from '../sync/shards-of-app.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'
import { initialValues, newCursorColumns, newGeneration, newRevision, revokeLease } from './cursors.ts'

// All cursors of a destination, shard by shard: each statement locks the rows of one shard only, so that no sync waits long,
// and a caller that is killed can repeat all of them.

const findShards = statement(
  'cursor-shards',
  'select distinct shard from delivery_cursor where destination_id = $destinationId',
)
const findApp = statement('cursor-app', 'select app_id from destination where id = $destinationId')
const open = statement(
  'cursor-open-destination',
  `insert into delivery_cursor (${newCursorColumns})
   select p.shard, p.profile_id, d.id, p.seq, ${initialValues}
   from destination d join profile_sync p on p.app_id = d.app_id
   where d.id = $destinationId and p.shard = $shard on conflict do nothing returning profile_id`,
)
// A sign-in and a new destination in concurrent transactions do not see each other, so a cursor may be missing.
const findMissing = statement(
  'cursor-missing',
  `select distinct p.shard, d.id as destination_id from profile_sync p join destination d on d.app_id = p.app_id
   where (p.shard, p.profile_id) > ($afterShard, $afterId) and (p.shard, p.profile_id) <= ($lastShard, $lastId)
     and not exists (select 1 from delivery_cursor c
       where c.shard = p.shard and c.profile_id = p.profile_id and c.destination_id = d.id)`,
)
const walkProfiles = statement(
  'cursor-walk-profiles',
  `select shard, profile_id from profile_sync where (shard, profile_id) > ($afterShard, $afterId)
   order by shard, profile_id limit $limit`,
)
const ofShard = 'shard = $shard and destination_id = $destinationId'
const isWanted = '($profileId::text is null or profile_id = $profileId)'
const rewind = statement(
  'cursor-rewind',
  `update delivery_cursor set seq = least(seq, $seq), due_at = $nowMs, ${revokeLease}, ${newGeneration}
   where ${ofShard} and ${isWanted}`,
)
// Seqs and times grow together, so the newest change before the time gives the seq; no other change has to be read.
const rewindSince = statement(
  'cursor-rewind-since',
  `update delivery_cursor c set due_at = $nowMs, ${revokeLease}, ${newGeneration},
     seq = least(c.seq, greatest(
       coalesce((select i.seq from item i where i.shard = $shard and i.profile_id = c.profile_id
         and i.updated_at < $sinceMs order by i.seq desc limit 1), 0),
       coalesce((select t.seq from item_tombstone t where t.shard = $shard and t.profile_id = c.profile_id
         and t.deleted_at < $sinceMs order by t.seq desc limit 1), 0)))
   where c.${ofShard} and ${isWanted}`,
)
const isPending = `(due_at is not null or revision > acked_revision) and lease_token is null
  and (due_at is null or due_at > $nowMs)`
const wakeSome = statement(
  'cursor-wake',
  `update delivery_cursor c set due_at = $nowMs, fails = 0 from (
     select shard, profile_id, destination_id from delivery_cursor
     where destination_id = $destinationId and ${isPending} limit $limit for update skip locked) pending
   where c.shard = pending.shard and c.profile_id = pending.profile_id and c.destination_id = pending.destination_id`,
)
const findPending = statement(
  'cursor-pending',
  `select shard, profile_id from delivery_cursor where destination_id = $destinationId and ${isPending} limit $limit`,
)
const wakeInShard = statement(
  'cursor-wake-in-shard',
  `update delivery_cursor set due_at = $nowMs, fails = 0
   where ${ofShard} and profile_id = any($profileIds) and ${isPending} returning profile_id`,
)
const setScheduled = statement(
  'cursor-scheduled',
  `update delivery_cursor set scheduled = $scheduled where ${ofShard} and scheduled <> $scheduled`,
)
const revokeLeases = statement(
  'cursor-stop-runs',
  'update delivery_cursor set lease_token = null where destination_id = $destinationId and lease_token is not null',
)
const markRedrive = statement(
  'cursor-redrive',
  `update delivery_cursor set redrive = true, due_at = $nowMs, ${revokeLease}, ${newRevision}
   where ${ofShard} and ${isWanted} and dead`,
)
const removeAll = statement('cursor-remove-all', `delete from delivery_cursor where ${ofShard}`)

/** Cursors that one pass makes due: few enough that a sync never waits long for a locked row. */
const WAKE_BATCH = 2000
/** On a sharded server a pass is a statement per shard. */
const WAKE_BATCH_IN_SHARDS = 500

const shardsOf = async (queries: Queries, destinationId: string): Promise<number[]> =>
  (await queries.rows<{ shard: number }>(findShards.with({ destinationId }))).map(({ shard }) => shard)

/** Opens a cursor for every profile of the app that has none to this destination. */
export async function openDestinationCursors(queries: Queries, destinationId: string, nowMs: number): Promise<void> {
  const [destination] = await queries.rows<{ app_id: string }>(findApp.with({ destinationId }))
  if (destination === undefined) return
  const shards = await shardsOfApp(queries, destination.app_id)
  await countInShards(queries, shards, (shard) => open.with({ shard, destinationId, nowMs }))
}

/** Opens cursors that are missing of some profiles, in the order of their keys. */
export function openMissingCursors(queries: Queries, nowMs: number, position: Position = []): Promise<Batch> {
  const [afterShard = -1, afterId = ''] = position
  return walkBatch<{ shard: number; profile_id: string }>(
    queries,
    walkProfiles.with({ afterShard, afterId, limit: WALK_BATCH }),
    async (last) => {
      const range = { afterShard, afterId, lastShard: last.shard, lastId: last.profile_id }
      let opened = 0
      // The rows are counted: a sharded server reports how many it tried.
      for (const { shard, destination_id: destinationId } of await queries.rows<{
        shard: number
        destination_id: string
      }>(findMissing.with(range)))
        opened += (await queries.rows(open.with({ shard, destinationId, nowMs }))).length
      return opened
    },
    (last) => [last.shard, last.profile_id],
  )
}

/** Where a replay begins: after a seq, or at a time. */
export type ReplayStart = { seq: number } | { sinceMs: number }

/** Sends everything from there again, of all profiles or of one. Returns the number of profiles. */
export async function rewindCursors(
  queries: Queries,
  destinationId: string,
  start: ReplayStart,
  nowMs: number,
  profileId?: string,
): Promise<number> {
  const shards = profileId === undefined ? await shardsOf(queries, destinationId) : [shardOf(profileId) ?? -1]
  const values = { destinationId, nowMs, profileId: profileId ?? null }
  return countInShards(queries, shards, (shard) =>
    'seq' in start
      ? rewind.with({ ...values, shard, seq: start.seq })
      : rewindSince.with({ ...values, shard, sinceMs: start.sinceMs }),
  )
}

/** Makes some cursors with undelivered changes due. Returns how many, and whether there may be more. */
export async function wakeSomeCursors(
  queries: Queries,
  destinationId: string,
  nowMs: number,
): Promise<{ count: number; more: boolean }> {
  if (!(await isSharded(queries))) {
    const count = await queries.count(wakeSome.with({ destinationId, nowMs, limit: WAKE_BATCH }))
    return { count, more: count === WAKE_BATCH }
  }
  const limit = WAKE_BATCH_IN_SHARDS
  const pending = await queries.rows<{ shard: number; profile_id: string }>(
    findPending.with({ destinationId, nowMs, limit }),
  )
  const woken = await takeInShards(pending, limit, (shard, keys) => {
    const profileIds = keys.map(({ profile_id }) => profile_id)
    return queries.rows(wakeInShard.with({ destinationId, shard, profileIds, nowMs }))
  })
  return { count: woken.length, more: pending.length === limit }
}

/** Makes all cursors with undelivered changes due. Returns how many. */
export async function wakeCursors(queries: Queries, destinationId: string, nowMs: number): Promise<number> {
  let total = 0
  for (;;) {
    const { count, more } = await wakeSomeCursors(queries, destinationId, nowMs)
    total += count
    if (!more) return total
  }
}

export async function setCursorsScheduled(queries: Queries, destinationId: string, scheduled: boolean): Promise<void> {
  const shards = await shardsOf(queries, destinationId)
  await countInShards(queries, shards, (shard) => setScheduled.with({ shard, destinationId, scheduled }))
}

/** Revokes the leases of all runs of a destination, which are few: they save nothing more. */
export async function stopRunsOf(queries: Queries, destinationId: string): Promise<void> {
  await queries.count(revokeLeases.with({ destinationId }))
}

/** Returns how many profiles have dead letters to try again. */
export async function redriveCursors(
  queries: Queries,
  destinationId: string,
  nowMs: number,
  profileId?: string,
): Promise<number> {
  const shards = profileId === undefined ? await shardsOf(queries, destinationId) : [shardOf(profileId) ?? -1]
  return countInShards(queries, shards, (shard) =>
    markRedrive.with({ shard, destinationId, nowMs, profileId: profileId ?? null }),
  )
}

/** Returns how many. */
export async function removeCursors(queries: Queries, destinationId: string): Promise<number> {
  const shards = await shardsOf(queries, destinationId)
  return countInShards(queries, shards, (shard) => removeAll.with({ shard, destinationId }))
}
