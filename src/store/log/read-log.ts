import type { OperationKind, OperationOutcome, OperationStep } from '#model/operation.ts'
import { type Queries, type Statement, statement } from '#platform/postgres/database.ts'
import { shardOfOperation } from './operations.ts'

/** An entry of the log of an app, wherever it is stored. */
export interface LogEntry {
  /** Begins with its time: the order of ids is the order of the log, whichever table an entry is in. */
  id: string
  kind: OperationKind
  service: string | null
  accountId: string | null
  profileId: string | null
  at: number
  ms: number
  outcome: OperationOutcome
  reason: string | null
  requestId: string | null
  summary: string
}

export interface LogFilter {
  appId: string
  /** Only entries with a smaller id. */
  before: string
  /** Only entries with this id or a greater one. */
  since: string
  kind: OperationKind | null
  outcome: OperationOutcome | null
  reason: string | null
  service: string | null
  accountId: string | null
  /** In lower case. */
  q: string | null
  nowMs: number
  limit: number
}

/** Some entries, newest first, and the id down to which there are no others that match; empty: none is older. */
export interface LogPart {
  entries: LogEntry[]
  completeTo: string
}

/** Limit: rows of one table that one request of the log examines; the response then says where the next one continues. */
const MAX_EXAMINED = 20_000

const entry = `id, kind, service, account_id as "accountId", profile_id as "profileId", at, ms, outcome, reason,
  request_id as "requestId", summary`
const matchesIn = <const Searched extends string>(searched: Searched) =>
  `id >= $since and ($outcome::text is null or outcome = $outcome)
  and ($reason::text is null or reason = $reason) and ($service::text is null or service = $service)
  and ($accountId::text is null or account_id = $accountId)
  and ($q::text is null or strpos(lower(concat_ws(' ', id, kind, service, account_id, profile_id, outcome, reason, request_id,
    ${searched})), $q) > 0)` as const
const matches = matchesIn('summary')

const ofKind = `($kind::text is null or kind = $kind) and ${matches}` as const

// An open sign-in that has expired was abandoned; its reason is stored in advance and shown from then on.
const shownOperation = `id, kind, service, account_id, profile_id, at, ended_at - at as ms,
  case when outcome = 'open' and expires_at < $nowMs then 'refused' else outcome end as outcome,
  case when outcome = 'open' and expires_at >= $nowMs then null else reason end as reason, request_id, summary`
const ofApp = 'app_id = $appId and id < $before'
/** Reads a part of one index, newest first, and what matches of it. */
const within = <
  const Shown extends string,
  const Table extends string,
  const Condition extends string,
  const Matches extends string,
>(
  shown: Shown,
  table: Table,
  condition: Condition,
  matching: Matches,
) =>
  `select ${entry} from (select ${shown} from (
       select * from ${table} where ${condition} order by id desc limit ${MAX_EXAMINED}) examined) shown
   where ${matching} order by id desc limit $limit` as const
const endOf = <const Table extends string, const Condition extends string>(table: Table, condition: Condition) =>
  `select id from ${table} where ${condition} order by id desc offset ${MAX_EXAMINED - 1} limit 1` as const

const trouble = `${ofApp} and outcome <> 'ok'` as const
const ofAccount = `${ofApp} and account_id = $accountId` as const
const listOperations = statement('log-operations', within(shownOperation, 'operation', ofApp, ofKind))
const listTrouble = statement('log-trouble', within(shownOperation, 'operation', trouble, ofKind))
const listOfAccount = statement('log-operations-of-account', within(shownOperation, 'operation', ofAccount, ofKind))
const endOfOperations = statement('log-operations-end', endOf('operation', ofApp))
const endOfTrouble = statement('log-trouble-end', endOf('operation', trouble))
const endOfAccount = statement('log-operations-of-account-end', endOf('operation', ofAccount))

const shownCall = `id, 'proxy' as kind, service, account_id, null::text as profile_id, at, ms,
  case when status < 400 then 'ok' when status < 499 then 'refused' else 'failed' end as outcome,
  case when status >= 400 then 'http_' || status end as reason, request_id,
  method || ' ' || path || ' → ' || status as summary, called_by`
const listCalls = statement('log-calls', within(shownCall, 'call_log', ofApp, matchesIn('summary, called_by')))
const endOfCalls = statement('log-calls-end', endOf('call_log', ofApp))

const findDestinations = statement(
  'log-destinations',
  `select id, name from destination where app_id = $appId and kind <> 'feed' order by id`,
)
const ofDestination = 'destination_id = $destinationId and id < $before'
const shownDelivery = `v.id, 'delivery' as kind, p.service, p.account_id, v.profile_id, v.at, v.ms,
  case when v.ok then 'ok' else 'failed' end as outcome, case when not v.ok then 'destination_failed' end as reason,
  null::text as request_id, concat($name::text, ': ', v.rows, ' rows', ', ' || v.error) as summary`
const listDeliveries = statement(
  'log-deliveries',
  `select ${entry} from (select ${shownDelivery} from (
       select * from delivery where ${ofDestination} order by id desc limit ${MAX_EXAMINED}) v
     left join profile p on p.shard = v.shard and p.id = v.profile_id) shown
   where ${matches} order by id desc limit $limit`,
)
const endOfDeliveries = statement('log-deliveries-end', endOf('delivery', ofDestination))

/**
 * Not prepared, so that each is planned with its values: the plan for an app with few entries would sort all entries of an app that
 * has most of them.
 */
const planned = (prepared: Statement): Statement => ({ ...prepared, name: '' })

/** Sign-ins and syncs. */
export async function findOperations(queries: Queries, filter: LogFilter): Promise<LogPart> {
  const { appId, before, accountId, outcome } = filter
  const window = { appId, before }
  const isTrouble = accountId === null && outcome !== null && outcome !== 'ok'
  const list = accountId !== null ? listOfAccount : isTrouble ? listTrouble : listOperations
  const entries = await queries.rows<LogEntry>(planned(list.with(filter)))
  const end =
    accountId !== null
      ? endOfAccount.with({ ...window, accountId })
      : isTrouble
        ? endOfTrouble.with(window)
        : endOfOperations.with(window)
  return part(queries, entries, filter, end)
}

export async function findCalls(queries: Queries, filter: LogFilter): Promise<LogPart> {
  const { appId, before } = filter
  const entries = await queries.rows<LogEntry>(planned(listCalls.with(filter)))
  return part(queries, entries, filter, endOfCalls.with({ appId, before }))
}

/** One part for each destination. */
export async function findDeliveries(queries: Queries, { appId, ...filter }: LogFilter): Promise<LogPart[]> {
  const { before } = filter
  const parts: LogPart[] = []
  for (const { id: destinationId, name } of await queries.rows<{ id: string; name: string }>(
    findDestinations.with({ appId }),
  )) {
    const { nowMs: _now, ...values } = filter
    const entries = await queries.rows<LogEntry>(planned(listDeliveries.with({ ...values, destinationId, name })))
    parts.push(await part(queries, entries, filter, endOfDeliveries.with({ destinationId, before })))
  }
  return parts
}

async function part(
  queries: Queries,
  entries: LogEntry[],
  { limit, since }: Pick<LogFilter, 'limit' | 'since'>,
  end: Statement,
): Promise<LogPart> {
  if (entries.length >= limit) return { entries, completeTo: entries.at(-1)?.id ?? '' }
  const [row] = await queries.rows<{ id: string }>(planned(end))
  return { entries, completeTo: row === undefined || row.id < since ? '' : row.id }
}

export interface StoredOperation extends LogEntry {
  steps: OperationStep[]
  /** While it is open. */
  expiresAt: number | null
}

const findOperationById = statement(
  'log-operation',
  `select ${entry}, steps, expires_at as "expiresAt" from (select ${shownOperation}, steps, expires_at from operation
     where shard = $shard and id = $id and app_id = $appId) shown`,
)

export async function findOperation(
  queries: Queries,
  appId: string,
  id: string,
  nowMs: number,
): Promise<StoredOperation | undefined> {
  const shard = shardOfOperation(id)
  if (shard === undefined) return undefined
  const [row] = await queries.rows<StoredOperation>(findOperationById.with({ shard, appId, id, nowMs }))
  return row
}

export interface StoredCall extends LogEntry {
  method: string
  path: string
  status: number
  bytes: number
  refreshed: boolean
  retried: boolean
  tokenId: string | null
}

const findCallById = statement(
  'log-call',
  `select ${entry}, method, path, status, bytes, refreshed, retried, called_by as "tokenId" from (
     select ${shownCall}, method, path, status, bytes, refreshed, retried from call_log
     where app_id = $appId and id = $id) shown`,
)

export async function findCall(queries: Queries, appId: string, id: string): Promise<StoredCall | undefined> {
  const [row] = await queries.rows<StoredCall>(findCallById.with({ appId, id }))
  return row
}

export interface StoredDelivery extends LogEntry {
  destinationId: string
  destination: string
  attempt: number
  rows: number
  firstSeq: number | null
  lastSeq: number | null
  error: string | null
}

const findDeliveryById = statement(
  'log-delivery',
  `select ${entry}, "destinationId", destination, attempt, rows, "firstSeq", "lastSeq", error from (
     select ${shownDelivery}, v.destination_id as "destinationId", $name::text as destination, v.attempt, v.rows,
       v.first_seq as "firstSeq", v.last_seq as "lastSeq", v.error
     from delivery v left join profile p on p.shard = v.shard and p.id = v.profile_id
     where v.destination_id = $destinationId and v.id = $id) shown`,
)

export async function findDelivery(queries: Queries, appId: string, id: string): Promise<StoredDelivery | undefined> {
  for (const { id: destinationId, name } of await queries.rows<{ id: string; name: string }>(
    findDestinations.with({ appId }),
  )) {
    const [row] = await queries.rows<StoredDelivery>(findDeliveryById.with({ destinationId, name, id }))
    if (row !== undefined) return row
  }
  return undefined
}
