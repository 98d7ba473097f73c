import type { QuotaName } from '#model/apps/quotas.ts'
import { type SyncReason, WAITING_REASONS } from '#model/sync/sync-reasons.ts'
import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

/** The sync state of one endpoint of a profile. */
export interface EndpointState {
  endpoint: string
  nextRunAt: number
  intervalMs: number
  watermark: string | number | undefined
  /** Where an unfinished walk continues; JSON in the caller's format. */
  walk: unknown
  validator: Validator | undefined
  epoch: number
  items: number
  fails: number
  /** Fields that readers could not read, since the endpoint was last without faults. */
  faults: number
  /** Records in quarantine. */
  quarantined: number
  /** A retry of the quarantined records was requested. */
  retryQuarantined: boolean
  suspectDeletes: number
  /** It was confirmed that all missing items are deleted. */
  confirmDeletes: boolean
  firstDoneAt: number | undefined
  lastRunAt: number | undefined
  /** Why the last run did not complete, and its message. */
  lastReason: SyncReason | undefined
  lastError: string | undefined
  /** Workers that died of it since its last complete run. */
  deaths: number
  /** The quota because of which new items were not stored since the last full read. */
  leftOut: QuotaName | undefined
  /** When the last walk began that listed everything. */
  wholeAt: number | undefined
  /** The page size of the last walk, if the service refused the endpoint's own. */
  pageSize: number | undefined
}

/** The validator of a service's last response to one request: an entity tag or a date. */
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
  whole_at: number | null
  page_size: number | null
}

const waitingReasons = WAITING_REASONS.map((reason) => `'${reason}'`).join(', ')
/** The service has said how long to wait. */
export const IS_WAITING = `coalesce(last_reason in (${waitingReasons}), false)`

/** `nextRunAt` of an endpoint that is switched off: never reached, but still a time that compares. */
export const NEVER = 9e15
/** `nextRunAt` of an endpoint that is read only when something asks for it, such as an uploaded file. */
export const ON_REQUEST = 8e15

const columns = `endpoint, next_run_at, interval_ms, watermark, walk, etag, validator_for, epoch, items, fails, faults,
  quarantined, retry_quarantined, suspect_deletes, confirm_deletes, first_done_at, last_run_at, last_reason, last_error,
  deaths, left_out, whole_at, page_size`
const isEndpoint = 'shard = $shard and profile_id = $profileId and endpoint = $endpoint'
/** Sets of columns: the next run reads the endpoint from its beginning. */
export const CLEAR_POSITION = 'watermark = null, walk = null, seen = null, etag = null, validator_for = null'
const list = statement(
  'endpoint-list',
  `select ${columns} from endpoint_sync
   where shard = $shard and profile_id = $profileId order by next_run_at, endpoint`,
)
const listSummarized = statement(
  'endpoint-summary',
  `select ${columns}, (select p.first_completed_at from profile_sync p where p.shard = $shard and p.profile_id = $profileId)
     as first_completed_at
   from endpoint_sync where shard = $shard and profile_id = $profileId`,
)
const findSeen = statement('endpoint-seen', `select seen from endpoint_sync where ${isEndpoint}`)
// A walk that ends its slice moves behind the other endpoints that are due, so that a long one does not delay them.
const updateProgress = statement(
  'endpoint-progress',
  `update endpoint_sync set walk = $walk, watermark = coalesce($watermark::json, watermark), items = items + $added,
     last_run_at = $nowMs, last_reason = null, last_error = null, seen = coalesce($seen, seen),
     next_run_at = greatest(next_run_at, $dueAt)
   where ${isEndpoint}`,
)
// If next_run_at has moved since the run began, another run was requested meanwhile; this one does not satisfy it.
const updateDone = statement(
  'endpoint-done',
  `update endpoint_sync set walk = null, seen = null, watermark = coalesce($watermark::json, watermark), etag = $etag,
     validator_for = $validatorFor, interval_ms = $intervalMs,
     next_run_at = case when next_run_at <> $wasDueAt then next_run_at else $nextRunAt end,
     fails = 0, deaths = 0, last_reason = null, last_error = null,
     suspect_deletes = coalesce($suspectDeletes, suspect_deletes), confirm_deletes = confirm_deletes and not $confirmed,
     items = items + $added, last_run_at = $nowMs, first_done_at = coalesce(first_done_at, $nowMs),
     whole_at = coalesce($wholeAt, whole_at), page_size = $pageSize
   where ${isEndpoint}`,
)
const updateFailed = statement(
  'endpoint-failed',
  `update endpoint_sync set next_run_at = $nextRunAt, fails = fails + 1, last_reason = $reason, last_error = $error,
     last_run_at = $nowMs, walk = $walk, seen = $seen
   where ${isEndpoint}`,
)
// Keeps the number of failures until a walk ends, so that a service that always asks for a restart is not called at once again.
const restart = statement(
  'endpoint-restart',
  `update endpoint_sync set next_run_at = $nextRunAt, ${CLEAR_POSITION}, fails = fails + 1, last_reason = $reason,
     last_error = $error, last_run_at = $nowMs
   where ${isEndpoint}`,
)
const updateWaiting = statement(
  'endpoint-wait',
  `update endpoint_sync set next_run_at = $nextRunAt, walk = $walk, seen = $seen where ${isEndpoint}`,
)
const postpone = statement(
  'endpoint-postpone',
  `update endpoint_sync set next_run_at = $nextRunAt, last_reason = $reason, last_error = $error where ${isEndpoint}`,
)
const updateLeftOut = statement('endpoint-left-out', `update endpoint_sync set left_out = $quota where ${isEndpoint}`)
const remove = statement(
  'endpoint-remove',
  'delete from endpoint_sync where shard = $shard and profile_id = $profileId',
)

/** In the order in which they are due. */
export async function listEndpoints(queries: Queries, key: ProfileKey): Promise<EndpointState[]> {
  return (await queries.rows<Row>(list.with(key))).map(toState)
}

/** With when the first sync was complete; 0: before that was recorded. */
export async function listEndpointsWithFirst(
  queries: Queries,
  key: ProfileKey,
): Promise<{ states: EndpointState[]; firstCompletedAt: number | undefined }> {
  const rows = await queries.rows<Row & { first_completed_at: number | null }>(listSummarized.with(key))
  return { states: rows.map(toState), firstCompletedAt: rows[0]?.first_completed_at ?? undefined }
}

/** The ids that an unfinished walk has seen, in its own encoding. */
export async function findSeenIds(queries: Queries, key: ProfileKey, endpoint: string): Promise<Buffer | undefined> {
  const [row] = await queries.rows<{ seen: Buffer | null }>(findSeen.with({ ...key, endpoint }))
  return row?.seen ?? undefined
}

export interface PageProgress {
  /** Undefined after the last page. */
  walk: unknown
  /** Ids seen so far, where the slice of the run ends after this page. */
  seen: Buffer | undefined
  /** Moves the endpoint behind others that are due. */
  dueAt: number
  /** Only where pages are in ascending order. */
  watermark: string | number | undefined
  added: number
  nowMs: number
}

/** Call it in the transaction that writes the page's items, so that progress and items never differ. */
export async function saveProgress(tx: Queries, key: ProfileKey, endpoint: string, page: PageProgress): Promise<void> {
  const { added, nowMs, dueAt } = page
  const [walk, watermark] = [jsonOrNull(page.walk), jsonOrNull(page.watermark)]
  await execute(
    tx,
    updateProgress.with({ ...key, endpoint, walk, watermark, added, nowMs, seen: page.seen ?? null, dueAt }),
  )
}

export interface RunDone {
  watermark: string | number | undefined
  validator: Validator | undefined
  intervalMs: number
  nextRunAt: number
  /** Undefined when the run could not determine it. */
  suspectDeletes: number | undefined
  /** The run applied a confirmation of deletes. */
  confirmed: boolean
  added: number
  /** When the endpoint was due, as read when the run began. */
  wasDueAt: number
  /** When the walk began, if it listed everything. */
  wholeAt: number | undefined
  /** The page size, if it is not the endpoint's own. */
  pageSize: number | undefined
  nowMs: number
}

export async function saveDone(tx: Queries, key: ProfileKey, endpoint: string, run: RunDone): Promise<void> {
  const { validator, ...rest } = run
  await execute(
    tx,
    updateDone.with({
      ...rest,
      ...key,
      endpoint,
      watermark: jsonOrNull(run.watermark),
      etag: validator?.value ?? null,
      validatorFor: validator?.request ?? null,
      suspectDeletes: run.suspectDeletes ?? null,
      wholeAt: run.wholeAt ?? null,
      pageSize: run.pageSize ?? null,
    }),
  )
}

/** Where the next run continues; undefined discards a walk that cannot be continued. */
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
  const { nextRunAt, reason, error, nowMs } = failure
  const [walk, seen] = [jsonOrNull(failure.walk), failure.seen ?? null]
  await execute(tx, updateFailed.with({ ...key, endpoint, nextRunAt, reason, error, nowMs, walk, seen }))
}

/** Forgets watermark, walk and validator: the next run reads the endpoint from its beginning. */
export async function saveRestart(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  next: { nextRunAt: number; why: { reason: SyncReason; error: string } | undefined; nowMs: number },
): Promise<void> {
  const { nextRunAt, why, nowMs } = next
  const [reason, error] = [why?.reason ?? null, why?.error ?? null]
  await execute(tx, restart.with({ ...key, endpoint, nextRunAt, reason, error, nowMs }))
}

/** The rate limit is reached: not a failure, the run continues later. */
export async function saveWaiting(tx: Queries, key: ProfileKey, endpoint: string, resume: Resume): Promise<void> {
  const { nextRunAt, walk, seen } = resume
  await execute(tx, updateWaiting.with({ ...key, endpoint, nextRunAt, walk: jsonOrNull(walk), seen: seen ?? null }))
}

/** Delays an endpoint for a reason that does not count as a failure. */
export async function postponeEndpoint(
  queries: Queries,
  key: ProfileKey,
  endpoint: string,
  nextRunAt: number,
  why?: { reason: SyncReason; error: string },
): Promise<void> {
  const [reason, error] = [why?.reason ?? null, why?.error ?? null]
  await queries.count(postpone.with({ ...key, endpoint, nextRunAt, reason, error }))
}

/** Saves which quota kept new items from being stored; undefined when all are stored. */
export async function setEndpointLeftOut(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  quota: QuotaName | undefined,
): Promise<void> {
  await execute(tx, updateLeftOut.with({ ...key, endpoint, quota: quota ?? null }))
}

export async function removeEndpoints(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(remove.with(key))
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
    wholeAt: row.whole_at ?? undefined,
    pageSize: row.page_size ?? undefined,
  }
}
