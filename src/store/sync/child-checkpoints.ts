import { uuidArray } from '#platform/postgres/binary-arrays.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import { hexId } from '../keys/item-ids.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { IS_WAITING, NEVER } from './endpoints.ts'

/** A parent of a child endpoint, and what is known of it since its children were last read. */
export interface StoredParent {
  /** Of the item. */
  id: string
  nativeId: string
  seq: number
  /** Undefined when its children were never read. */
  visited: Visited | undefined
}

export interface Visited {
  seq: number
  version: string | undefined
  watermark: string | number | undefined
  retryAt: number | undefined
}

interface ChildKey extends ProfileKey {
  endpoint: string
}

interface Row {
  id: string
  native_id: string
  seq: number
  visited_seq: number | null
  version: string | null
  watermark: string | number | null
  retry_at: number | null
}

const isChild = 'shard = $shard and profile_id = $profileId and endpoint = $endpoint'
const listAfter = statement(
  'child-parents',
  `select ${hexId('i.id')} as id, i.native_id, i.seq, c.seq as visited_seq, c.version, c.watermark, c.retry_at
   from item i left join child_sync c
     on c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint and c.parent = i.id
   where i.shard = $shard and i.profile_id = $profileId and i.endpoint = $each and i.seq > $afterSeq
   order by i.seq limit $limit`,
)
const findSome = statement(
  'child-parents-some',
  `select ${hexId('i.id')} as id, i.native_id, i.seq, c.seq as visited_seq, c.version, c.watermark, c.retry_at
   from item i left join child_sync c
     on c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint and c.parent = i.id
   where i.shard = $shard and i.profile_id = $profileId and i.endpoint = $each
     and i.id = any($ids::uuid[])
   order by i.seq`,
)
const findRetry = statement(
  'child-parent-retry',
  `select ${hexId('c.parent')} as id
   from child_sync c join item i on i.shard = $shard and i.profile_id = $profileId and i.id = c.parent
   where c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint and c.retry_at <= $nowMs
   order by c.retry_at, c.parent limit $limit`,
)
const findOrphans = statement(
  'child-parents-deleted',
  `select ${hexId('c.parent')} as id from child_sync c
   where c.shard = $shard and c.profile_id = $profileId and c.endpoint = $endpoint and not exists (
     select 1 from item i where i.shard = $shard and i.profile_id = $profileId and i.id = c.parent) limit $limit`,
)
const findRecords = statement(
  'child-parent-records',
  `select ${hexId('id')} as id, data::text as data from item
   where shard = $shard and profile_id = $profileId and id = any($ids::uuid[])`,
)
const currentSeq = statement(
  'child-current-seq',
  'select seq from profile_sync where shard = $shard and profile_id = $profileId',
)
const upsert = statement(
  'child-visit',
  `insert into child_sync (shard, profile_id, endpoint, parent, seq, version, watermark, retry_at)
   select $shard, $profileId, $endpoint, n.parent, n.seq, n.version, $watermark::json, $retryAt::bigint
   from unnest($parents::uuid[], $seqs::bigint[], $versions::text[]) as n (parent, seq, version)
   on conflict (shard, profile_id, endpoint, parent) do update set seq = excluded.seq, version = excluded.version,
     watermark = excluded.watermark, retry_at = excluded.retry_at`,
)
const insertMissing = statement(
  'child-parent-insert',
  `insert into child_sync (shard, profile_id, endpoint, parent, seq)
   select $shard, $profileId, $endpoint, n.parent, 0 from unnest($parents::uuid[]) as n (parent) on conflict do nothing`,
)
const refuse = statement(
  'child-refuse',
  `insert into child_sync (shard, profile_id, endpoint, parent, seq, retry_at)
   select $shard, $profileId, $endpoint, n.parent, n.seq, $retryAt::bigint
   from unnest($parents::uuid[], $seqs::bigint[]) as n (parent, seq)
   on conflict (shard, profile_id, endpoint, parent) do update set seq = excluded.seq, retry_at = excluded.retry_at`,
)
const remove = statement('child-forget', `delete from child_sync where ${isChild} and parent = any($ids::uuid[])`)
const erase = statement('child-erase', 'delete from child_sync where shard = $shard and profile_id = $profileId')
// Not one that is due soon: the run that changed the parents may have loaded its state already. Nor one that waits.
const makeDue = statement(
  'child-due',
  `update endpoint_sync set next_run_at = $nowMs
   where shard = $shard and profile_id = $profileId and endpoint = any($names::text[]) and fails = 0
     and next_run_at > $soonMs and next_run_at < ${NEVER} and not ${IS_WAITING}`,
)

/** The next parents in the order in which they changed: one that changes meanwhile comes again, and none is left out. */
export async function parentsAfter(
  queries: Queries,
  key: ChildKey,
  each: string,
  afterSeq: number,
  limit: number,
): Promise<StoredParent[]> {
  return (await queries.rows<Row>(listAfter.with({ ...keyOf(key), each, afterSeq, limit }))).map(toParent)
}

export async function parentsById(
  queries: Queries,
  key: ChildKey,
  each: string,
  ids: string[],
): Promise<StoredParent[]> {
  return (await queries.rows<Row>(findSome.with({ ...keyOf(key), each, ids: uuidArray(ids) }))).map(toParent)
}

/** Ids of parents whose children are to be read again by now. */
export async function parentsToRetry(queries: Queries, key: ChildKey, nowMs: number, limit: number): Promise<string[]> {
  return (await queries.rows<{ id: string }>(findRetry.with({ ...keyOf(key), nowMs, limit }))).map(({ id }) => id)
}

/** Ids of parents that are deleted, while something of them is still stored. */
export async function deletedParents(queries: Queries, key: ChildKey, limit: number): Promise<string[]> {
  return (await queries.rows<{ id: string }>(findOrphans.with({ ...keyOf(key), limit }))).map(({ id }) => id)
}

/** The records of these parents, as stored. */
export async function parentRecords(queries: Queries, key: ProfileKey, ids: string[]): Promise<Map<string, string>> {
  const values = { shard: key.shard, profileId: key.profileId, ids: uuidArray(ids) }
  const rows = await queries.rows<{ id: string; data: string }>(findRecords.with(values))
  return new Map(rows.map(({ id, data }) => [id, data]))
}

/** The number of the profile's newest change. */
export async function profileSeq(queries: Queries, { shard, profileId }: ProfileKey): Promise<number> {
  const [row] = await queries.rows<{ seq: number }>(currentSeq.with({ shard, profileId }))
  return row?.seq ?? 0
}

/** The children of these parents were read. */
export async function saveVisit(
  tx: Queries,
  key: ChildKey,
  parents: { id: string; seq: number; version: string | undefined }[],
  visit: { watermark: string | number | undefined; retryAt: number | undefined },
): Promise<void> {
  await execute(
    tx,
    upsert.with({
      ...keyOf(key),
      parents: uuidArray(parents.map(({ id }) => id)),
      seqs: parents.map(({ seq }) => seq),
      versions: parents.map(({ version }) => version ?? null),
      watermark: visit.watermark === undefined ? null : JSON.stringify(visit.watermark),
      retryAt: visit.retryAt ?? null,
    }),
  )
}

/** Before the first items of these parents are stored: without a row, nothing would delete them with their parent. */
export async function ensureParents(tx: Queries, key: ChildKey, ids: string[]): Promise<void> {
  if (ids.length > 0) await execute(tx, insertMissing.with({ ...keyOf(key), parents: uuidArray(ids) }))
}

/** The service refused the children of these parents; what was stored of them stays. */
export async function saveRefusal(
  tx: Queries,
  key: ChildKey,
  parents: { id: string; seq: number }[],
  retryAt: number,
): Promise<void> {
  const [ids, seqs] = [uuidArray(parents.map(({ id }) => id)), parents.map(({ seq }) => seq)]
  await execute(tx, refuse.with({ ...keyOf(key), parents: ids, seqs, retryAt }))
}

/** Forgets the checkpoints of these parents. */
export async function forgetParents(tx: Queries, key: ChildKey, ids: string[]): Promise<void> {
  await execute(tx, remove.with({ ...keyOf(key), ids: uuidArray(ids) }))
}

export async function eraseCheckpoints(tx: Queries, { shard, profileId }: ProfileKey): Promise<void> {
  await execute(tx, erase.with({ shard, profileId }))
}

/** Makes child endpoints due whose parents changed, unless they are due before `soonMs` anyway. */
export async function makeChildrenDue(
  tx: Queries,
  { shard, profileId }: ProfileKey,
  names: string[],
  at: { nowMs: number; soonMs: number },
): Promise<void> {
  if (names.length > 0) await execute(tx, makeDue.with({ shard, profileId, names, ...at }))
}

function keyOf({ shard, profileId, endpoint }: ChildKey): ChildKey {
  return { shard, profileId, endpoint }
}

function toParent(row: Row): StoredParent {
  return {
    id: row.id,
    nativeId: row.native_id,
    seq: row.seq,
    visited:
      row.visited_seq === null
        ? undefined
        : {
            seq: row.visited_seq,
            version: row.version ?? undefined,
            watermark: row.watermark ?? undefined,
            retryAt: row.retry_at ?? undefined,
          },
  }
}
