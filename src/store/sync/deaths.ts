import type { DestinationState } from '#model/apps/destination.ts'
import { ALONE_MS, MAX_DEATHS } from '#model/sync/deaths.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { NEVER } from './endpoints.ts'

// Only a death in isolation can reach MAX_DEATHS: with several tasks in a process, any of them may be the cause.
const oneMoreDeath =
  `deaths = least(deaths + 1, case when $alone then ${MAX_DEATHS} else ${MAX_DEATHS - 1} end)` as const
const isLastDeath = `deaths + 1 >= ${MAX_DEATHS} and $alone` as const
const countEndpoint = statement(
  'death-endpoint',
  `update endpoint_sync set ${oneMoreDeath}, last_reason = 'worker_died', last_error = $error, last_run_at = $nowMs,
     next_run_at = case when ${isLastDeath} then ${NEVER}::bigint else $nextRunAt end
   where shard = $shard and profile_id = $profileId and endpoint = $endpoint and deaths < ${MAX_DEATHS}
   returning deaths`,
)
// Revokes the lease of the dead worker.
const isolateProfile = statement(
  'death-profile',
  `update profile_sync set lease_token = null, alone_until = $aloneUntil, next_run_at = $nextRunAt
   where shard = $shard and profile_id = $profileId and next_run_at is not null`,
)
const countDestination = statement(
  'death-destination',
  `update destination set ${oneMoreDeath}, alone_until = $nowMs::bigint + ${ALONE_MS},
     state = case when ${isLastDeath} then 'parked' else 'failing' end, last_error = $error,
     failing_since = coalesce(failing_since, $nowMs), fails = fails + 1, next_attempt_at = $nextAttemptAt
   where id = $id and state in ('active', 'failing') returning app_id, state`,
)
const revokeCursorLeases = statement(
  'death-cursors',
  `update delivery_cursor set lease_token = null, due_at = $nowMs
   where destination_id = $destinationId and lease_token is not null`,
)
const clearDestination = statement(
  'death-clear-destination',
  `update destination set deaths = 0, alone_until = 0 where id = $id and state = 'active' and deaths > 0`,
)
const retryEndpoints = statement(
  'death-retry',
  `update endpoint_sync set deaths = ${MAX_DEATHS - 1}, next_run_at = $nowMs, last_reason = null, last_error = null
   where shard = $shard and profile_id = $profileId and deaths >= ${MAX_DEATHS}`,
)
const retryProfile = statement(
  'death-retry-profile',
  `update profile_sync set alone_until = $nowMs::bigint + ${ALONE_MS}, next_run_at = least(next_run_at, $nowMs)
   where shard = $shard and profile_id = $profileId and next_run_at is not null`,
)
const countParked = statement(
  'death-parked-count',
  `select count(*)::int as n from endpoint_sync where deaths >= ${MAX_DEATHS}`,
)
const listParked = statement(
  'death-parked',
  `select p.shard, p.profile_id, p.service, e.endpoint, e.last_error, e.last_run_at from endpoint_sync e
   join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.deaths >= ${MAX_DEATHS} and p.app_id = $appId and (p.profile_id, e.endpoint) > ($profileId, $endpoint)
   order by p.profile_id, e.endpoint limit $limit`,
)

/** Returns the new number of deaths; undefined when the endpoint does not exist or is already parked. */
export async function countEndpointDeath(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  death: { nowMs: number; nextRunAt: number; error: string; alone: boolean },
): Promise<number | undefined> {
  return (await tx.rows<{ deaths: number }>(countEndpoint.with({ ...death, ...key, endpoint })))[0]?.deaths
}

export async function runProfileAlone(
  tx: Queries,
  key: ProfileKey,
  times: { aloneUntil: number; nextRunAt: number },
): Promise<void> {
  await tx.count(isolateProfile.with({ ...times, ...key }))
}

/** Undefined when the destination was deleted or is already paused or parked. */
export async function countDestinationDeath(
  tx: Queries,
  id: string,
  death: { nowMs: number; nextAttemptAt: number; error: string; alone: boolean },
): Promise<{ appId: string; state: DestinationState } | undefined> {
  const [row] = await tx.rows<{ app_id: string; state: DestinationState }>(countDestination.with({ ...death, id }))
  return row && { appId: row.app_id, state: row.state }
}

/** Revokes the leases of the dead worker and makes its cursors due. */
export async function freeCursorsOf(tx: Queries, destinationId: string, nowMs: number): Promise<void> {
  await tx.count(revokeCursorLeases.with({ destinationId, nowMs }))
}

/** Ends the isolation of a destination that worked alone without a death. */
export async function clearDestinationDeaths(queries: Queries, id: string): Promise<void> {
  await queries.count(clearDestination.with({ id }))
}

/** Gives parked endpoints one more attempt, in isolation. Returns how many there were. */
export async function retryParkedEndpoints(tx: Queries, key: ProfileKey, nowMs: number): Promise<number> {
  const retried = await tx.count(retryEndpoints.with({ ...key, nowMs }))
  if (retried > 0) await tx.count(retryProfile.with({ ...key, nowMs }))
  return retried
}

export async function countParkedEndpoints(queries: Queries): Promise<number> {
  return (await queries.rows<{ n: number }>(countParked))[0]?.n ?? 0
}

export interface ParkedEndpoint {
  profileId: string
  service: string
  endpoint: string
  error: string | undefined
  at: number | undefined
}

export async function listParkedEndpoints(
  queries: Queries,
  appId: string,
  after: { profileId: string; endpoint: string },
  limit: number,
): Promise<ParkedEndpoint[]> {
  const rows = await queries.rows<{
    profile_id: string
    service: string
    endpoint: string
    last_error: string | null
    last_run_at: number | null
  }>(listParked.with({ ...after, appId, limit }))
  return rows.map((row) => ({
    profileId: row.profile_id,
    service: row.service,
    endpoint: row.endpoint,
    error: row.last_error ?? undefined,
    at: row.last_run_at ?? undefined,
  }))
}
