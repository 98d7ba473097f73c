import { type Database, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import type { Validator } from './endpoints.ts'
import { lockSchedule } from './schedule.ts'

/** The end of a check that found nothing to write: written with the end of the run instead of in a transaction of its own. */
export interface QuietCheck {
  endpoint: string
  watermark: string | number | undefined
  validator: Validator | undefined
  intervalMs: number
  nextRunAt: number
  /** When the endpoint was due, as read when the run began. */
  wasDueAt: number
  /** When the walk began, if it listed everything. */
  wholeAt: number | undefined
  /** The page size, if it is not the endpoint's own. */
  pageSize: number | undefined
  nowMs: number
}

const holdsLease = `exists (select 1 from profile_sync h
  where h.shard = $shard and h.profile_id = $profileId and h.lease_token = $token)` as const
// As in endpoint-done: if next_run_at has moved since the run began, another run was requested meanwhile.
const updateQuiet = `update endpoint_sync e set walk = null, seen = null,
     watermark = coalesce(quiet.watermark::json, e.watermark), etag = quiet.etag, validator_for = quiet.validator_for,
     interval_ms = quiet.interval_ms,
     next_run_at = case when e.next_run_at <> quiet.was_due_at then e.next_run_at else quiet.next_run_at end,
     fails = 0, deaths = 0, last_reason = null, last_error = null, last_run_at = quiet.now_ms,
     whole_at = coalesce(quiet.whole_at, e.whole_at), page_size = quiet.page_size
   from unnest($endpoints::text[], $watermarks::text[], $etags::text[], $validatorsFor::text[], $intervals::bigint[],
     $nextRunsAt::bigint[], $wereDueAt::bigint[], $wholesAt::bigint[], $pageSizes::int[], $times::bigint[])
     as quiet (endpoint, watermark, etag, validator_for, interval_ms, next_run_at, was_due_at, whole_at, page_size, now_ms)
   where e.shard = $shard and e.profile_id = $profileId and e.endpoint = quiet.endpoint and ${holdsLease}` as const
const saveQuiet = statement('endpoint-quiet', updateQuiet)
// The subquery does not see what the same statement updates, so it takes those times from there.
const finish = statement(
  'sync-finish',
  `with quiet_endpoint as (${updateQuiet} returning e.endpoint, e.next_run_at)
   update profile_sync p set lease_token = null, synced_at = coalesce($syncedAt::bigint, p.synced_at),
     requested_at = nullif(p.requested_at, $requestedAt::bigint),
     next_run_at = greatest($earliestMs::bigint, least($selfDueMs::bigint,
     (select min(coalesce(q.next_run_at, e.next_run_at)) from endpoint_sync e
      left join quiet_endpoint q on q.endpoint = e.endpoint where e.shard = $shard and e.profile_id = $profileId),
     (select min(r.received_at) from hook_record r
      where r.shard = $shard and r.profile_id = $profileId and r.kept_until is null)))
   where p.shard = $shard and p.profile_id = $profileId and p.lease_token = $token`,
)

export interface FinishedRun {
  /** Not before this the profile is due again. */
  earliestMs: number
  /** When the person's record is due. */
  selfDueMs: number
  /** At least one endpoint was read to its end. */
  syncedAt: number | undefined
  quiet: readonly QuietCheck[]
  /** The request that this run satisfies; a later one stays. */
  requestedAt?: number | undefined
}

/**
 * Ends a run: stores the ends of its quiet checks and releases the lease. The profile is due when its next endpoint or the person's
 * record is. False if the lease was lost: then nothing is written for the
 * endpoints.
 */
export async function finishRun(
  database: Database,
  key: ProfileKey,
  token: string,
  run: FinishedRun,
): Promise<boolean> {
  const { earliestMs, selfDueMs, syncedAt = null, requestedAt = null } = run
  return database.transaction(async (tx) => {
    // Lock first: the next statement then sees what was committed before, and no sync requested meanwhile is lost.
    await lockSchedule(tx, key)
    const values = { ...key, token, earliestMs, selfDueMs, requestedAt, syncedAt, ...columnsOf(run.quiet) }
    return (await tx.count(finish.with(values))) > 0
  })
}

/** The same for a run after which the profile is not scheduled any more; the caller takes it off the schedule. */
export async function saveQuietChecks(
  queries: Queries,
  key: ProfileKey,
  token: string,
  quiet: readonly QuietCheck[],
): Promise<void> {
  if (quiet.length > 0) await queries.count(saveQuiet.with({ ...key, token, ...columnsOf(quiet) }))
}

function columnsOf(quiet: readonly QuietCheck[]) {
  return {
    endpoints: quiet.map(({ endpoint }) => endpoint),
    watermarks: quiet.map(({ watermark }) => (watermark === undefined ? null : JSON.stringify(watermark))),
    etags: quiet.map(({ validator }) => validator?.value ?? null),
    validatorsFor: quiet.map(({ validator }) => validator?.request ?? null),
    intervals: quiet.map(({ intervalMs }) => intervalMs),
    nextRunsAt: quiet.map(({ nextRunAt }) => nextRunAt),
    wereDueAt: quiet.map(({ wasDueAt }) => wasDueAt),
    wholesAt: quiet.map(({ wholeAt }) => wholeAt ?? null),
    pageSizes: quiet.map(({ pageSize }) => pageSize ?? null),
    times: quiet.map(({ nowMs }) => nowMs),
  }
}
