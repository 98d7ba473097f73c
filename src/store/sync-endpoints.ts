import { MAX_DEATHS } from '#model/deaths.ts'
import type { QuotaName } from '#model/quotas.ts'
import { type Queries, statement } from './database.ts'
import type { ProfileKey } from './sync-schedule.ts'

/** Where an endpoint of a profile stands. */
export interface EndpointState {
  endpoint: string
  nextRunAt: number
  intervalMs: number
  mark: string | number | undefined
  /** Where an unfinished walk goes on; JSON of the caller's own. */
  walk: unknown
  etag: string | undefined
  epoch: number
  items: number
  fails: number
  faults: number
  quarantined: number
  suspectDeletes: number
  /** Somebody confirmed that what is missing is really gone. */
  confirmDeletes: boolean
  firstDoneAt: number | undefined
  lastRunAt: number | undefined
  lastError: string | undefined
  /** Workers that died of it since it last ended well. */
  deaths: number
  /** The quota that kept new items out since all was read from the beginning. */
  leftOut: QuotaName | undefined
}

interface Row {
  endpoint: string
  next_run_at: number
  interval_ms: number
  mark: string | number | null
  walk: unknown
  etag: string | null
  epoch: number
  items: number
  fails: number
  faults: number
  quarantined: number
  suspect_deletes: number
  confirm_deletes: boolean
  first_done_at: number | null
  last_run_at: number | null
  last_error: string | null
  deaths: number
  left_out: QuotaName | null
}

const columns = `endpoint, next_run_at, interval_ms, mark, walk, etag, epoch, items, fails, faults, quarantined, suspect_deletes,
  confirm_deletes, first_done_at, last_run_at, last_error, deaths, left_out`
const list = statement(
  'endpoint-list',
  `select ${columns} from endpoint_sync where part = $1 and profile_id = $2 order by next_run_at, endpoint`,
)
const findSeen = statement(
  'endpoint-seen',
  'select seen from endpoint_sync where part = $1 and profile_id = $2 and endpoint = $3',
)
// A walk that makes room goes to the end of the line, so that a long one does not keep the others waiting.
const progress = statement(
  'endpoint-progress',
  `update endpoint_sync set walk = $4, mark = coalesce($5::json, mark), items = items + $6, faults = faults + $7, quarantined = quarantined + $8,
     last_run_at = $9, last_error = null, seen = coalesce($10, seen), next_run_at = greatest(next_run_at, $11)
   where part = $1 and profile_id = $2 and endpoint = $3`,
)
// A time that moved since the run began is somebody's request for another one, which this run does not answer.
const done = statement(
  'endpoint-done',
  `update endpoint_sync set walk = null, seen = null, mark = coalesce($4::json, mark), etag = $5, interval_ms = $6,
     next_run_at = case when next_run_at <> $11 then next_run_at else $7 end, fails = 0, deaths = 0, last_error = null,
     suspect_deletes = coalesce($8, suspect_deletes), confirm_deletes = confirm_deletes and not $12, items = items + $10, faults = faults + $13, quarantined = quarantined + $14, last_run_at = $9,
     first_done_at = coalesce(first_done_at, $9) where part = $1 and profile_id = $2 and endpoint = $3`,
)
const failed = statement(
  'endpoint-failed',
  `update endpoint_sync set next_run_at = $4, fails = fails + 1, last_error = $5, last_run_at = $6, walk = $7, seen = $8
   where part = $1 and profile_id = $2 and endpoint = $3`,
)
const wait = statement(
  'endpoint-wait',
  'update endpoint_sync set next_run_at = $4, walk = $5, seen = $6 where part = $1 and profile_id = $2 and endpoint = $3',
)
const postpone = statement(
  'endpoint-postpone',
  'update endpoint_sync set next_run_at = $4, last_error = $5 where part = $1 and profile_id = $2 and endpoint = $3',
)
const wake = statement(
  'endpoint-wake-app',
  `update endpoint_sync e set next_run_at = $2 from profile_sync p
   where p.app_id = $1 and p.part = e.part and p.profile_id = e.profile_id and e.next_run_at >= 9e15 and e.deaths < ${MAX_DEATHS}`,
)
const wakeProfiles = statement(
  'endpoint-wake-profiles',
  `update profile_sync p set next_run_at = $2 where p.app_id = $1 and p.lease_token is null and p.next_run_at > $2
   and exists (select 1 from endpoint_sync e where e.part = p.part and e.profile_id = p.profile_id and e.next_run_at <= $2)`,
)
// Not even a request makes us ask a service that has just said how long to wait.
const dueNow = statement(
  'endpoint-now',
  `update endpoint_sync set next_run_at = case when last_error like 'rate_limited%' then next_run_at else $3 end,
     confirm_deletes = confirm_deletes or $4 where part = $1 and profile_id = $2 and next_run_at < 9e15`,
)
const reset = statement(
  'endpoint-reset',
  `update endpoint_sync set next_run_at = $3, mark = null, walk = null, seen = null, etag = null, epoch = epoch + 1, fails = 0, last_error = null
   where part = $1 and profile_id = $2 and next_run_at < 9e15`,
)
const setLeftOut = statement(
  'endpoint-left-out',
  'update endpoint_sync set left_out = $4 where part = $1 and profile_id = $2 and endpoint = $3',
)
// A run under way is overtaken: it would end with the place that is forgotten here.
const overtakeFull = statement(
  'sync-overtake-full',
  `update profile_sync p set next_run_at = $2, lease_token = null
   where p.app_id = $1 and ($3::text[] is null or p.profile_id = any($3)) and p.next_run_at is not null and exists (
     select 1 from endpoint_sync e where e.part = p.part and e.profile_id = p.profile_id and e.left_out is not null)`,
)
const wakeFull = statement(
  'endpoint-wake-full',
  `update endpoint_sync e set next_run_at = $2, mark = null, walk = null, seen = null, etag = null from profile_sync p
   where p.app_id = $1 and ($3::text[] is null or p.profile_id = any($3)) and p.part = e.part and p.profile_id = e.profile_id
     and e.left_out is not null and e.next_run_at < 9e15`,
)
const remove = statement('endpoint-remove', 'delete from endpoint_sync where part = $1 and profile_id = $2')

/** In the order in which they are due. */
export async function listEndpoints(queries: Queries, key: ProfileKey): Promise<EndpointState[]> {
  return (await queries.rows<Row>(list, [key.part, key.profileId])).map(toState)
}

/** The ids that an unfinished walk kept, as it packed them. */
export async function findSeenIds(queries: Queries, key: ProfileKey, endpoint: string): Promise<Buffer | undefined> {
  const [row] = await queries.rows<{ seen: Buffer | null }>(findSeen, [key.part, key.profileId, endpoint])
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
  mark: string | number | undefined
  added: number
  faults: number
  quarantined: number
  nowMs: number
}

/** Written in the transaction of the page's items: what is stored and how far we are never differ. */
export async function saveProgress(tx: Queries, key: ProfileKey, endpoint: string, page: PageProgress): Promise<void> {
  await tx.count(progress, [
    key.part,
    key.profileId,
    endpoint,
    jsonOrNull(page.walk),
    jsonOrNull(page.mark),
    page.added,
    page.faults,
    page.quarantined,
    page.nowMs,
    page.seen ?? null,
    page.dueAt,
  ])
}

export interface RunDone {
  mark: string | number | undefined
  etag: string | undefined
  intervalMs: number
  nextRunAt: number
  /** Undefined: the run could not tell. */
  suspectDeletes: number | undefined
  /** This run acted on somebody's word about deletes. */
  confirmed: boolean
  added: number
  faults: number
  quarantined: number
  /** When the endpoint was due, as the run read it. */
  wasDueAt: number
  nowMs: number
}

export async function saveDone(tx: Queries, key: ProfileKey, endpoint: string, run: RunDone): Promise<void> {
  await tx.count(done, [
    key.part,
    key.profileId,
    endpoint,
    jsonOrNull(run.mark),
    run.etag ?? null,
    run.intervalMs,
    run.nextRunAt,
    run.suspectDeletes ?? null,
    run.nowMs,
    run.added,
    run.wasDueAt,
    run.confirmed,
    run.faults,
    run.quarantined,
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
  failure: Resume & { error: string; nowMs: number },
): Promise<void> {
  await tx.count(failed, [
    key.part,
    key.profileId,
    endpoint,
    failure.nextRunAt,
    failure.error,
    failure.nowMs,
    jsonOrNull(failure.walk),
    failure.seen ?? null,
  ])
}

/** The calls are used up for now: no failure, only later. */
export async function saveWaiting(tx: Queries, key: ProfileKey, endpoint: string, resume: Resume): Promise<void> {
  await tx.count(wait, [
    key.part,
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
  reason: string | undefined,
): Promise<void> {
  await queries.count(postpone, [key.part, key.profileId, endpoint, nextRunAt, reason ?? null])
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
  await tx.count(setLeftOut, [key.part, key.profileId, endpoint, quota ?? null])
}

/** Reads endpoints anew from which a quota kept items out: of all profiles of an app, or of these. What is stored is not written again. */
export async function wakeFullEndpoints(
  tx: Queries,
  appId: string,
  profileIds: string[] | undefined,
  nowMs: number,
): Promise<void> {
  const values = [appId, nowMs, profileIds ?? null]
  await tx.count(overtakeFull, values)
  await tx.count(wakeFull, values)
}

export async function makeEndpointsDue(
  queries: Queries,
  key: ProfileKey,
  nowMs: number,
  options: { confirmDeletes: boolean },
): Promise<void> {
  await queries.count(dueNow, [key.part, key.profileId, nowMs, options.confirmDeletes])
}

/** Forgets where everything stood, so that all is read again. */
export async function resetEndpoints(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(reset, [key.part, key.profileId, nowMs])
}

export async function removeEndpoints(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(remove, [key.part, key.profileId])
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function toState(row: Row): EndpointState {
  return {
    endpoint: row.endpoint,
    nextRunAt: row.next_run_at,
    intervalMs: row.interval_ms,
    mark: row.mark ?? undefined,
    walk: row.walk ?? undefined,
    etag: row.etag ?? undefined,
    epoch: row.epoch,
    items: row.items,
    fails: row.fails,
    faults: row.faults,
    quarantined: row.quarantined,
    suspectDeletes: row.suspect_deletes,
    confirmDeletes: row.confirm_deletes,
    firstDoneAt: row.first_done_at ?? undefined,
    lastRunAt: row.last_run_at ?? undefined,
    lastError: row.last_error ?? undefined,
    deaths: row.deaths,
    leftOut: row.left_out ?? undefined,
  }
}
