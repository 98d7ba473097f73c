import { ApiError } from '#model/errors.ts'
import type { OperationKind, OperationOutcome, OperationStep, StepDetail } from '#model/operation.ts'
import type { Clock } from '#platform/clock.ts'
import { encodeNumber } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import { findApp } from '#store/apps/apps.ts'
import {
  findCall,
  findCalls,
  findDeliveries,
  findDelivery,
  findOperation,
  findOperations,
  type LogEntry,
  type LogFilter,
  type LogPart,
  type StoredCall,
  type StoredDelivery,
} from '#store/log/read-log.ts'

export interface LogQuery {
  kind?: OperationKind | undefined
  outcome?: OperationOutcome | undefined
  reason?: string | undefined
  service?: string | undefined
  account?: string | undefined
  q?: string | undefined
  since?: number | undefined
  until?: number | undefined
  cursor?: string | undefined
  limit: number
}

export interface LoggedOperation {
  id: string
  kind: OperationKind
  at: number
  ms: number
  outcome: OperationOutcome
  reason?: string | undefined
  service?: string | undefined
  profile?: string | undefined
  account?: string | undefined
  request_id?: string | undefined
  summary: string
}

export interface InspectedOperation extends LoggedOperation {
  steps: OperationStep[]
}

interface LogDeps {
  database: Database
  clock: Clock
}

/** Sorts after every id. */
const END = '~'
const PREFIXES: Record<OperationKind, string> = { sign_in: 'op_', sync: 'op_', proxy: 'call_', delivery: 'dlv_' }

/**
 * Operations of an app, newest first. `next` continues; a search for something rare may return few or no operations together with
 * `next`, because one request examines a limited number of entries.
 */
export async function readLog(
  { database, clock }: LogDeps,
  appId: string,
  query: LogQuery,
): Promise<{ operations: LoggedOperation[]; next: string | undefined }> {
  await requireApp(database, appId)
  const { kind, limit } = query
  const filter: LogFilter = {
    appId,
    before: beforeOf(query),
    since: query.since === undefined ? '' : encodeNumber(query.since, 10),
    kind: kind ?? null,
    outcome: query.outcome ?? null,
    reason: query.reason ?? null,
    service: query.service ?? null,
    accountId: query.account ?? null,
    q: query.q?.toLowerCase() ?? null,
    nowMs: clock.now(),
    limit,
  }
  const parts: LogPart[] = []
  if (kind === undefined || kind === 'sign_in' || kind === 'sync') parts.push(await findOperations(database, filter))
  if (kind === undefined || kind === 'proxy') parts.push(await findCalls(database, filter))
  if (kind === undefined || kind === 'delivery') parts.push(...(await findDeliveries(database, filter)))
  return joinParts(parts, limit)
}

/** Down to the id to which all parts are complete, and no more than the limit. */
export function joinParts(
  parts: readonly LogPart[],
  limit: number,
): { operations: LoggedOperation[]; next: string | undefined } {
  const completeTo = parts.reduce((latest, each) => (each.completeTo > latest ? each.completeTo : latest), '')
  const entries = parts
    .flatMap((each) => each.entries)
    .filter(({ id }) => id >= completeTo)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  const shown = entries.slice(0, limit)
  const end = entries.length > limit ? shown.at(-1)?.id : completeTo
  return { operations: shown.map(present), next: end === '' ? undefined : end }
}

/** A cursor is the id of the last entry that was examined. */
function beforeOf({ cursor, until }: LogQuery): string {
  const end = until === undefined ? END : encodeNumber(until, 10)
  return cursor !== undefined && cursor < end ? cursor : end
}

/** One operation with its steps. Of proxied calls and deliveries only one step is stored: the call itself. */
export async function inspectOperation(
  { database, clock }: LogDeps,
  appId: string,
  publicId: string,
): Promise<InspectedOperation> {
  await requireApp(database, appId)
  const [, prefix = '', id = ''] = /^(op_|call_|dlv_)([0-9a-z]{1,64})$/.exec(publicId) ?? []
  const inspected = await inspect({ database, clock }, appId, prefix, id)
  if (inspected === undefined) throw new ApiError('not_found', 'The log has no such operation.')
  return inspected
}

async function inspect(
  { database, clock }: LogDeps,
  appId: string,
  prefix: string,
  id: string,
): Promise<InspectedOperation | undefined> {
  if (prefix === 'op_') {
    const found = await findOperation(database, appId, id, clock.now())
    return found && { ...present(found), steps: found.steps.toSorted((a, b) => a.at - b.at) }
  }
  if (prefix === 'call_') {
    const found = await findCall(database, appId, id)
    return found && { ...present(found), steps: [stepOfCall(found)] }
  }
  const found = prefix === 'dlv_' ? await findDelivery(database, appId, id) : undefined
  return found && { ...present(found), steps: [stepOfDelivery(found)] }
}

function stepOfCall(call: StoredCall) {
  const { at, ms, outcome, method, service, path, status, bytes, refreshed, retried, tokenId } = call
  const detail: StepDetail = {
    method,
    service: service ?? '',
    path,
    status,
    bytes,
    refreshed,
    retried,
    ...(tokenId === null ? {} : { token_id: tokenId }),
  }
  return { name: 'service_call', at, ms, outcome, detail, steps: [] }
}

function stepOfDelivery(delivery: StoredDelivery) {
  const { at, ms, outcome, destination, destinationId, attempt, rows, firstSeq, lastSeq, error } = delivery
  const detail: StepDetail = {
    destination,
    destination_id: destinationId,
    attempt,
    rows,
    ...(firstSeq === null ? {} : { first_seq: firstSeq }),
    ...(lastSeq === null ? {} : { last_seq: lastSeq }),
    ...(error === null ? {} : { error }),
  }
  return { name: 'write_batch', at, ms, outcome, detail, steps: [] }
}

function present(entry: LogEntry): LoggedOperation {
  const { id, kind, at, ms, outcome, reason, service, profileId, accountId, requestId, summary } = entry
  return {
    id: PREFIXES[kind] + id,
    kind,
    at,
    ms,
    outcome,
    ...(reason === null ? {} : { reason }),
    ...(service === null ? {} : { service }),
    ...(profileId === null ? {} : { profile: profileId }),
    ...(accountId === null ? {} : { account: accountId }),
    ...(requestId === null ? {} : { request_id: requestId }),
    summary,
  }
}

async function requireApp(database: Database, appId: string): Promise<void> {
  if ((await findApp(database, appId)) === undefined) throw new ApiError('not_found', 'There is no such app.')
}
