import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { WALK_BATCH, walkBatch } from '../walk.ts'

/** A record that a webhook delivered, or the deletion of one. */
export interface NewHookRecord {
  endpoint: string
  /** JSON; undefined for a deletion. */
  record: string | undefined
  /** Of a deleted record. */
  nativeId: string | undefined
  /** When the service deleted it; undefined: for ever. */
  version: number | undefined
}

export interface HookRecord extends NewHookRecord {
  position: number
  receivedAt: number
}

interface Row {
  position: number
  endpoint: string
  record: string | null
  native_id: string | null
  version: number | null
  received_at: number
}

const ofProfile = 'shard = $shard and profile_id = $profileId'
// The row is deleted with the profile, so nothing is stored for a profile that is erased meanwhile.
const lock = statement('hook-record-lock', `select 1 from profile_sync where ${ofProfile} for update`)
const count = statement('hook-record-count', `select count(*) as n from hook_record where ${ofProfile}`)
const insert = statement(
  'hook-record-insert',
  `insert into hook_record (shard, profile_id, position, endpoint, record, native_id, version, received_at)
   select $shard, $profileId, n.position
       + coalesce((select max(position) from hook_record where ${ofProfile}), 0),
     n.endpoint, n.record::json, n.native_id, n.version, $nowMs
   from unnest($endpoints::text[], $records::text[], $nativeIds::text[], $versions::bigint[])
     with ordinality as n (endpoint, record, native_id, version, position)`,
)
const list = statement(
  'hook-record-list',
  `select position, endpoint, record::text as record, native_id, version, received_at from hook_record
   where ${ofProfile} order by position limit $limit`,
)
const hasPending = statement(
  'hook-record-pending',
  `select 1 from hook_record where ${ofProfile} and kept_until is null limit 1`,
)
const remove = statement(
  'hook-record-remove',
  `delete from hook_record where ${ofProfile} and position = any($positions::bigint[])`,
)
const keep = statement(
  'hook-record-keep',
  `update hook_record set kept_until = coalesce(kept_until, $keptUntil)
   where ${ofProfile} and position = any($positions::bigint[])`,
)
const erase = statement('hook-record-erase', `delete from hook_record where ${ofProfile}`)
const walk = statement(
  'hook-record-walk',
  `select shard, profile_id, position from hook_record
   where (shard, profile_id, position) > ($afterShard, $afterId, $afterPosition::bigint)
   order by shard, profile_id, position limit $limit`,
)
const purge = statement(
  'hook-record-purge',
  `delete from hook_record where (shard, profile_id, position) > ($afterShard, $afterId, $afterPosition::bigint)
     and (shard, profile_id, position) <= ($lastShard, $lastId, $lastPosition::bigint) and kept_until < $nowMs`,
)
const finishEndpoint = statement(
  'hook-record-applied',
  `update endpoint_sync set items = items + $added,
     next_run_at = case when $reread and next_run_at < $never then least(next_run_at, $nowMs) else next_run_at end,
     walk = case when walk is null then null else (walk::jsonb || '{"isComplete": false}'::jsonb)::json end
   where ${ofProfile} and endpoint = $endpoint`,
)
const findStored = statement(
  'hook-record-stored',
  `select ${hexId('id')} as id, data::text as data, null::bigint as deleted_at from item
   where ${ofProfile} and id = any($ids::uuid[])
   union all
   select ${hexId('id')}, null, max(deleted_at) from item_tombstone
   where ${ofProfile} and id = any($ids::uuid[]) group by id`,
)

/**
 * Stores what a webhook delivered; call it in a transaction. Undefined: the profile does not exist any more; false: nothing is stored,
 * because it would have more than `max` records.
 */
export async function insertHookRecords(
  tx: Queries,
  key: ProfileKey,
  records: readonly NewHookRecord[],
  max: number,
  nowMs: number,
): Promise<boolean | undefined> {
  if ((await tx.rows(lock.with(key))).length === 0) return undefined
  const [row] = await tx.rows<{ n: number }>(count.with(key))
  if ((row?.n ?? 0) + records.length > max) return false
  await tx.count(
    insert.with({
      ...key,
      nowMs,
      endpoints: records.map(({ endpoint }) => endpoint),
      records: records.map(({ record }) => record ?? null),
      nativeIds: records.map(({ nativeId }) => nativeId ?? null),
      versions: records.map(({ version }) => version ?? null),
    }),
  )
  return true
}

/** In the order in which they arrived. */
export async function listHookRecords(queries: Queries, key: ProfileKey, limit: number): Promise<HookRecord[]> {
  if ((await queries.rows(hasPending.with(key))).length === 0) return []
  return (await queries.rows<Row>(list.with({ ...key, limit }))).map((row) => ({
    position: row.position,
    endpoint: row.endpoint,
    record: row.record ?? undefined,
    nativeId: row.native_id ?? undefined,
    version: row.version ?? undefined,
    receivedAt: row.received_at,
  }))
}

export async function removeHookRecords(tx: Queries, key: ProfileKey, positions: number[]): Promise<void> {
  if (positions.length > 0) await tx.count(remove.with({ ...key, positions }))
}

/** Keeps deletions of records that are not stored. */
export async function keepHookRecords(
  tx: Queries,
  key: ProfileKey,
  positions: number[],
  keptUntil: number,
): Promise<void> {
  if (positions.length > 0) await tx.count(keep.with({ ...key, positions, keptUntil }))
}

/**
 * Counts what was stored. A walk in progress no longer shows which items are missing, because it may have passed the new ones.
 * `reread`: the endpoint becomes due.
 */
export async function finishHookRecords(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  { added, reread, never, nowMs }: { added: number; reread: boolean; never: number; nowMs: number },
): Promise<void> {
  await tx.count(finishEndpoint.with({ ...key, endpoint, added, reread, never, nowMs }))
}

/** What is stored of these items: the record, or when it was deleted. */
export async function storedRecords(
  queries: Queries,
  key: ProfileKey,
  ids: string[],
): Promise<Map<string, { record: string } | { deletedAt: number }>> {
  const rows = await queries.rows<{ id: string; data: string | null; deleted_at: number | null }>(
    findStored.with({ ...key, ids }),
  )
  const stored = new Map<string, { record: string } | { deletedAt: number }>()
  for (const { id, data, deleted_at: deletedAt } of rows) {
    if (data !== null) stored.set(id, { record: data })
    else if (deletedAt !== null && !stored.has(id)) stored.set(id, { deletedAt })
  }
  return stored
}

export async function eraseHookRecords(tx: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  await tx.count(erase.with({ shard, profileId }))
}

export function purgeHookRecords(queries: Queries, nowMs: number, position: Position = []): Promise<Batch> {
  const [afterShard = -1, afterId = '', afterPosition = -1] = position
  return walkBatch<{ shard: number; profile_id: string; position: number }>(
    queries,
    walk.with({ afterShard, afterId, afterPosition, limit: WALK_BATCH }),
    (last) =>
      queries.count(
        purge.with({
          afterShard,
          afterId,
          afterPosition,
          lastShard: last.shard,
          lastId: last.profile_id,
          lastPosition: last.position,
          nowMs,
        }),
      ),
    (last) => [last.shard, last.profile_id, last.position],
  )
}
