import { type Queries, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome } from '../delete-in-batches.ts'

/** One call through the proxy, without its secrets and contents. */
export interface CallEntry {
  shard: number
  /** In the order of time. */
  id: string
  appId: string
  accountId: string
  at: number
  method: string
  service: string
  /** Without the query string. */
  path: string
  status: number
  ms: number
  /** Size of the response body. */
  bytes: number
  refreshed: boolean
  retried: boolean
  requestId: string
  /** Names the token that made the call; absent if an operator or an agent made it. */
  tokenId?: string | undefined
}

const columns = `shard, id, app_id, account_id, at, method, service, path, status, ms, bytes, refreshed, retried,
  request_id, called_by`
/** The fields of an entry, in the order of the columns. */
const fields = `shard smallint, id text, "appId" text, "accountId" text, at bigint, method text, service text,
  path text, status smallint, ms integer, bytes bigint, refreshed boolean, retried boolean, "requestId" text, "tokenId" text`
const insert = statement(
  'call-insert',
  `insert into call_log (${columns}) select * from json_to_recordset($calls) as call (${fields})`,
)
// Reads of agents are in the log too, as the method TOOL, and called no service.
const list = statement(
  'call-list',
  `select ${columns} from call_log where app_id = $appId and id < $before and method <> 'TOOL' order by id desc limit $limit`,
)
const purge = statement('call-purge', deleteSome('call_log', 'shard, id', 'at < $before'))

const findLastOfTooMany = statement(
  'call-limit-end',
  `select id from call_log where shard = $shard and account_id = $accountId order by id desc offset $kept limit 1`,
)
const limit = statement(
  'call-limit',
  deleteSome('call_log', 'shard, id', 'shard = $shard and account_id = $accountId and id <= $lastId'),
)

/** Limit: entries of one account in the call log, reads by agents included; of further ones the oldest are removed, whenever a process has written `CALLS_BETWEEN_LIMITS` for it. */
const MAX_CALLS_OF_ACCOUNT = 10_000

/** Removes some of the oldest calls of an account that has too many. */
export async function limitCalls(
  queries: Queries,
  { shard, accountId }: Pick<CallEntry, 'shard' | 'accountId'>,
  kept = MAX_CALLS_OF_ACCOUNT,
): Promise<Batch> {
  const [last] = await queries.rows<{ id: string }>(findLastOfTooMany.with({ shard, accountId, kept }))
  if (last === undefined) return { done: 0, more: false }
  return deleteBatch(queries, limit.with({ shard, accountId, lastId: last.id }))
}

/** One statement with one value, however many calls there are. */
export async function insertCalls(queries: Queries, calls: readonly CallEntry[]): Promise<void> {
  await queries.count(insert.with({ calls: JSON.stringify(calls) }))
}

/** The newest first. */
export async function listCalls(queries: Queries, appId: string, before: string, limit: number): Promise<CallEntry[]> {
  return (await queries.rows<Row>(list.with({ appId, before, limit }))).map(toEntry)
}

export function purgeCalls(queries: Queries, before: number): Promise<Batch> {
  return deleteBatch(queries, purge.with({ before }))
}

interface Row extends Omit<CallEntry, 'appId' | 'accountId' | 'requestId' | 'tokenId'> {
  app_id: string
  account_id: string
  request_id: string
  called_by: string | null
}

function toEntry({
  app_id: appId,
  account_id: accountId,
  request_id: requestId,
  called_by: tokenId,
  ...row
}: Row): CallEntry {
  return { ...row, appId, accountId, requestId, tokenId: tokenId ?? undefined }
}
