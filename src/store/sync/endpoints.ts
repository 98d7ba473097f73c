import { MAX_DEATHS } from '#model/deaths.ts'
import type { QuotaName } from '#model/quotas.ts'
import { type SyncReason, WAITING_REASONS } from '#model/sync-reasons.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from './schedule.ts'

/** Where an endpoint of a profile stands. */
export interface EndpointState {
  endpoint: string
  nextRunAt: number
  intervalMs: number
  watermark: string | number | undefined
  /** Where an unfinished walk goes on; JSON of the caller's own. */
  walk: unknown
  validator: Validator | undefined
  epoch: number
  items: number
  fails: number
  /** Fields that readers lost, since none of its records had a fault. */
  faults: number
  /** Records that wait in quarantine. */
  quarantined: number
  /** Somebody asked to have those read again. */
  retryQuarantined: boolean
  suspectDeletes: number
  /** Somebody confirmed that what is missing is really gone. */
  confirmDeletes: boolean
  firstDoneAt: number | undefined
  lastRunAt: number | undefined
  /** Why it was not read to its end, and the sentence about it. */
  lastReason: SyncReason | undefined
  lastError: string | undefined
  /** Workers that died of it since it last ended well. */
  deaths: number
  /** The quota that kept new items out since all was read from the beginning. */
  leftOut: QuotaName | undefined
}

/** What a service calls its last answer to one request: an entity tag or a date. */
export interface Validator {
  request: string
  value: string
}

interface Row {
  endpoint: string
  next_run_at: number
  interval_ms: number
  watermark: string | number | null
  walk: unknown
  etag: string | null
  validator_for: string | null
  epoch: number
  items: number
  fails: number
  faults: number
  quarantined: number
  retry_quarantined: boolean
  suspect_deletes: number
  confirm_deletes: boolean
  first_done_at: number | null
  last_run_at: number | null
  last_reason: SyncReason | null
  last_error: string | null
  deaths: number
  left_out: QuotaName | null
}

/** The service said how long to wait. */
export const IS_WAITING = `coalesce(last_reason in (${WAITING_REASONS.map((reason) => `'${reason}'`).join(', ')}), false)`

const columns = `endpoint, next_run_at, interval_ms, watermark, walk, etag, validator_for, epoch, items, fails, faults, quarantined, retry_quarantined,
  suspect_deletes, confirm_deletes, first_done_at, last_run_at, last_reason, last_error, deaths, left_out`
const list = statement(
  'endpoint-list',
  `select ${columns} from endpoint_sync where shard = $1 and profile_id = $2 order by next_run_at, endpoint`,
)
const findSeen = statement(
  'endpoint-seen',
  'select seen from endpoint_sync where shard = $1 and profile_id = $2 and endpoint = $3',
)
// A walk that makes room goes to the end of the line, so that a long one does not keep the others waiting.
const progress = statement(
  'endpoint-progress',
  `update endpoint_sync set walk = $4, watermark = coalesce($5::json, watermark), items = items + $6,
     last_run_at = $7, last_reason = null, last_error = null, seen = coalesce($8, seen), next_run_at = greatest(next_run_at, $9)
   where shard = $1 and profile_id = $2 and endpoint = $3`,
)
// A time that moved since the run began is somebody's request for another one, which this run does not answer.
const done = statement(
  'endpoint-done',
  `update endpoint_sync set walk = null, seen = null, watermark = coalesce($4::json, watermark), etag = $5, validator_for = $6, interval_ms = $7,
     next_run_at = case when next_run_at <> $12 then next_run_at else $8 end, fails = 0, deaths = 0, last_reason = null, last_error = null,
     suspect_deletes = coalesce($9, suspect_deletes), confirm_deletes = confirm_deletes and not $13, items = items + $11, last_run_at = $10,
     first_done_at = coalesce(first_done_at, $10) where shard = $1 and profile_id = $2 and endpoint = $3`,
)
const failed = statement(
  'endpoint-failed',
  `update endpoint_sync set next_run_at = $4, fails = fails + 1, last_reason = $5, last_error = $6, last_run_at = $7, walk = $8, seen = $9
   where shard = $1 and profile_id = $2 and endpoint = $3`,
)
const wait = statement(
  'endpoint-wait',
  'update endpoint_sync set next_run_at = $4, walk = $5, seen = $6 where shard = $1 and profile_id = $2 and endpoint = $3',
)
const postpone = statement(
  'endpoint-postpone',
  'update endpoint_sync set next_run_at = $4, last_reason = $5, last_error = $6 where shard = $1 and profile_id = $2 and endpoint = $3',
)
const wake = statement(
  'endpoint-wake-app',
  `update endpoint_sync e set next_run_at = $2 from profile_sync p
   where p.app_id = $1 and p.shard = e.shard and p.profile_id = e.profile_id and e.next_run_at >= 9e15 and e.deaths < ${MAX_DEATHS}`,
)
const wakeProfiles = statement(
  'endpoint-wake-profiles',
  `update profile_sync p set next_run_at = $2 where p.app_id = $1 and p.lease_token is null and p.next_run_at > $2
   and exists (select 1 from endpoint_sync e where e.shard = p.shard and e.profile_id = p.profile_id and e.next_run_at <= $2)`,
)
// Not even a request makes us ask a service that has just said how long to wait.
const dueNow = statement(
  'endpoint-now',
  `update endpoint_sync set next_run_at = case when ${IS_WAITING} then next_run_at else $3 end,
     confirm_deletes = confirm_deletes or $4, retry_quarantined = retry_quarantined or ($5 and quarantined > 0)
   where shard = $1 and profile_id = $2 and next_run_at < 9e15`,
)
const reset = statement(
  'endpoint-reset',
  `update endpoint_sync set next_run_at = $3, watermark = null, walk = null, seen = null, etag = null, validator_for = null, epoch = epoch + 1, fails = 0, last_reason = null, last_error = null
   where shard = $1 and profile_id = $2 and next_run_at < 9e15`,
)
const setLeftOut = statement(
  'endpoint-left-out',
  'update endpoint_sync set left_out = $4 where shard = $1 and profile_id = $2 and endpoint = $3',
)
// A run under way is overtaken: it would end with the place that is forgotten here.
const revokeFullLeases = statement(
  'sync-overtake-full',
  `update profile_sync p set next_run_at = $2, lease_token = null
   where p.app_id = $1 and ($3::text[] is null or p.profile_id = any($3)) and p.next_run_at is not null and exists (
     select 1 from endpoint_sync e where e.shard = p.shard and e.profile_id = p.profile_id and e.left_out is not null)`,
)
const wakeFull = statement(
  'endpoint-wake-full',
  `update endpoint_sync e set next_run_at = $2, watermark = null, walk = null, seen = null, etag = null, validator_for = null from profile_sync p
   where p.app_id = $1 and ($3::text[] is null or p.profile_id = any($3)) and p.shard = e.shard and p.profile_id = e.profile_id
     and e.left_out is not null and e.next_run_at < 9e15`,
)
const remove = statement('endpoint-remove', 'delete from endpoint_sync where shard = $1 and profile_id = $2')

/** In the order in which they are due. */
export async function listEndpoints(queries: Queries, key: ProfileKey): Promise<EndpointState[]> {
  return (await queries.rows<Row>(list, [key.shard, key.profileId])).map(toState)
}

/** The ids that an unfinished walk kept, as it packed them. */
export async function findSeenIds(queries: Queries, key: ProfileKey, endpoint: string): Promise<Buffer | undefined> {
  const [row] = await queries.rows<{ seen: Buffer | null }>(findSeen, [key.shard, key.profileId, endpoint])
  return row?.seen ?? undefined
}

export interface PageProgress {
  /** Undefined after the last page. */
  walk: unknown
  /** Ids shown so far, where the run makes room after this page. */
  seen: Buffer | undefined
  /** Moves the endpoint behind others that are due as well. */
  dueAt: number
  /** Only where pages come oldest first. */
  watermark: string | number | undefined
  added: number
  nowMs: number
}

/** Written in the transaction of the page's items: what is stored and how far we are never differ. */
export async function saveProgress(tx: Queries, key: ProfileKey, endpoint: string, page: PageProgress): Promise<void> {
  await tx.count(progress, [
    key.shard,
    key.profileId,
    endpoint,
    jsonOrNull(page.walk),
    jsonOrNull(page.watermark),
    page.added,
    page.nowMs,
    page.seen ?? null,
    page.dueAt,
  ])
}

export interface RunDone {
  watermark: string | number | undefined
  validator: Validator | undefined
  intervalMs: number
  nextRunAt: number
  /** Undefined: the run could not tell. */
  suspectDeletes: number | undefined
  /** This run acted on somebody's word about deletes. */
  confirmed: boolean
  added: number
  /** When the endpoint was due, as the run read it. */
  wasDueAt: number
  nowMs: number
}

export async function saveDone(tx: Queries, key: ProfileKey, endpoint: string, run: RunDone): Promise<void> {
  await tx.count(done, [
    key.shard,
    key.profileId,
    endpoint,
    jsonOrNull(run.watermark),
    run.validator?.value ?? null,
    run.validator?.request ?? null,
    run.intervalMs,
    run.nextRunAt,
    run.suspectDeletes ?? null,
    run.nowMs,
    run.added,
    run.wasDueAt,
    run.confirmed,
  ])
}

/** Where to go on: undefined forgets a walk that cannot be gone on with. */
export interface Resume {
  nextRunAt: number
  walk: unknown
  seen: Buffer | undefined
}

export async function saveFailed(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  failure: Resume & { reason: SyncReason; error: string; nowMs: number },
): Promise<void> {
  await tx.count(failed, [
    key.shard,
    key.profileId,
    endpoint,
    failure.nextRunAt,
    failure.reason,
    failure.error,
    failure.nowMs,
    jsonOrNull(failure.walk),
    failure.seen ?? null,
  ])
}

/** The calls are used up for now: no failure, only later. */
export async function saveWaiting(tx: Queries, key: ProfileKey, endpoint: string, resume: Resume): Promise<void> {
  await tx.count(wait, [
    key.shard,
    key.profileId,
    endpoint,
    resume.nextRunAt,
    jsonOrNull(resume.walk),
    resume.seen ?? null,
  ])
}

/** The time of an endpoint that is switched off: never, but still a time that compares. */
export const NEVER = 9e15

/** Not to be run now, for a reason that is no failure. */
export async function postponeEndpoint(
  queries: Queries,
  key: ProfileKey,
  endpoint: string,
  nextRunAt: number,
  why?: { reason: SyncReason; error: string },
): Promise<void> {
  await queries.count(postpone, [
    key.shard,
    key.profileId,
    endpoint,
    nextRunAt,
    why?.reason ?? null,
    why?.error ?? null,
  ])
}

/** After an app changed its rules: what was off is looked at again. */
export async function wakeEndpointsOf(tx: Queries, appId: string, nowMs: number): Promise<void> {
  await tx.count(wake, [appId, nowMs])
  await tx.count(wakeProfiles, [appId, nowMs])
}

/** Which quota kept new items out; undefined: all are stored. */
export async function setEndpointLeftOut(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  quota: QuotaName | undefined,
): Promise<void> {
  await tx.count(setLeftOut, [key.shard, key.profileId, endpoint, quota ?? null])
}

/** Reads endpoints anew from which a quota kept items out: of all profiles of an app, or of these. What is stored is not written again. */
export async function wakeFullEndpoints(
  tx: Queries,
  appId: string,
  profileIds: string[] | undefined,
  nowMs: number,
): Promise<void> {
  const values = [appId, nowMs, profileIds ?? null]
  await tx.count(revokeFullLeases, values)
  await tx.count(wakeFull, values)
}

export async function makeEndpointsDue(
  queries: Queries,
  key: ProfileKey,
  nowMs: number,
  options: { confirmDeletes: boolean; retryQuarantined: boolean },
): Promise<void> {
  await queries.count(dueNow, [key.shard, key.profileId, nowMs, options.confirmDeletes, options.retryQuarantined])
}

/** Forgets where everything stood, so that all is read again. */
export async function resetEndpoints(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(reset, [key.shard, key.profileId, nowMs])
}

export async function removeEndpoints(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(remove, [key.shard, key.profileId])
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function toState(row: Row): EndpointState {
  return {
    endpoint: row.endpoint,
    nextRunAt: row.next_run_at,
    intervalMs: row.interval_ms,
    watermark: row.watermark ?? undefined,
    walk: row.walk ?? undefined,
    validator:
      row.etag === null || row.validator_for === null ? undefined : { request: row.validator_for, value: row.etag },
    epoch: row.epoch,
    items: row.items,
    fails: row.fails,
    faults: row.faults,
    quarantined: row.quarantined,
    retryQuarantined: row.retry_quarantined,
    suspectDeletes: row.suspect_deletes,
    confirmDeletes: row.confirm_deletes,
    firstDoneAt: row.first_done_at ?? undefined,
    lastRunAt: row.last_run_at ?? undefined,
    lastReason: row.last_reason ?? undefined,
    lastError: row.last_error ?? undefined,
    deaths: row.deaths,
    leftOut: row.left_out ?? undefined,
  }
}
