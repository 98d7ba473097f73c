import { randomBytes } from 'node:crypto'
import type { OperationOutcome, OperationStep } from '#model/operation.ts'
import { decodeNumber, encodeBase32, encodeNumber, SHARDS } from '#platform/crypto/ids.ts'
import { storableText } from '#platform/formats/storable-text.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** What one request or run adds to an operation. Parts of one operation are joined, in whichever order they are written. */
export interface OperationPart {
  shard: number
  id: string
  appId: string
  kind: 'sign_in' | 'sync'
  service: string | undefined
  accountId: string | undefined
  profileId: string | undefined
  at: number
  endedAt: number
  outcome: OperationOutcome
  reason: string | undefined
  expiresAt: number | undefined
  requestId: string | undefined
  summary: string
  steps: OperationStep[]
}

/** Limit: steps of one operation, without those inside them; further ones are not kept. */
export const MAX_STEPS = 60

/** The order of ids is the order of time; the shard follows, so that no lookup is needed to find the row. */
export function newOperationId(shard: number, nowMs: number): string {
  return encodeNumber(nowMs, 10) + encodeNumber(shard, 2) + encodeBase32(randomBytes(10))
}

/** Undefined when the text is not an id of an operation. */
export function shardOfOperation(id: string): number | undefined {
  const shard = /^[0-9a-hjkmnp-tv-z]{28}$/.test(id) ? decodeNumber(id.slice(10, 12)) : undefined
  return shard !== undefined && shard < SHARDS ? shard : undefined
}

const columns = `shard, id, app_id, kind, service, account_id, profile_id, at, ended_at, outcome, reason, expires_at,
  request_id, summary, steps`
const fields = `shard smallint, id text, "appId" text, kind text, service text, "accountId" text, "profileId" text,
  at bigint, "endedAt" bigint, outcome text, reason text, "expiresAt" bigint, "requestId" text, summary text, steps jsonb`
const values = `part.shard, part.id, part."appId", part.kind, part.service, part."accountId", part."profileId", part.at,
  part."endedAt", part.outcome, part.reason, part."expiresAt", part."requestId", part.summary, part.steps`
const newest = <const Column extends string>(column: Column) =>
  `${column} = case when excluded.ended_at >= o.ended_at then excluded.${column} else o.${column} end` as const
// What is written late must not bring back an app that was deleted meanwhile.
const write = statement(
  'operation-write',
  `insert into operation as o (${columns})
   select ${values} from json_to_recordset($parts) as part (${fields})
   where exists (select 1 from app a where a.id = part."appId")
   on conflict (shard, id) do update set
     service = coalesce(excluded.service, o.service),
     account_id = coalesce(excluded.account_id, o.account_id),
     profile_id = coalesce(excluded.profile_id, o.profile_id),
     at = least(o.at, excluded.at), ended_at = greatest(o.ended_at, excluded.ended_at),
     ${newest('outcome')}, ${newest('reason')}, ${newest('expires_at')}, ${newest('request_id')}, ${newest('summary')},
     steps = case when jsonb_array_length(o.steps) < ${MAX_STEPS} then o.steps || excluded.steps else o.steps end`,
)
const remove = statement('operation-delete', 'delete from operation where shard = $shard and id = $id')
const removeOfEndedApps = statement(
  'operation-delete-ended',
  `delete from operation o using unnest($shards::smallint[], $ids::text[]) as part (shard, id)
   where o.shard = part.shard and o.id = part.id
     and not exists (select 1 from app a where a.id = o.app_id and a.deleting_at is null)`,
)
const purge = statement('operation-purge', deleteSome('operation', 'shard, id', 'at < $before'))

/** One statement with one value. Each operation may be in it once. */
export async function writeOperations(queries: Queries, parts: readonly OperationPart[]): Promise<void> {
  await queries.count(write.with({ parts: JSON.stringify(parts, storable) }))
}

/** Cutting a text may leave half of a surrogate pair: one such text would cost the whole batch. */
function storable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value
}

export async function deleteOperation(queries: Queries, shard: number, id: string): Promise<void> {
  await queries.count(remove.with({ shard, id }))
}

/**
 * For what has no account, by which it would be found: the deletion of its app may have removed the log before it was written. An app that
 * is not being deleted afterwards has its log removed later.
 */
export async function deleteOfEndedApps(queries: Queries, parts: readonly OperationPart[]): Promise<void> {
  if (parts.length === 0) return
  const shards = parts.map(({ shard }) => shard)
  await queries.count(removeOfEndedApps.with({ shards, ids: parts.map(({ id }) => id) }))
}

export function purgeOperations(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}
