import { ALONE_MS, MAX_DEATHS } from '#model/deaths.ts'
import type { DestinationState } from '#model/destination.ts'
import { type Queries, statement } from '#platform/postgres/database.ts'
import { NEVER } from './endpoints.ts'
import type { ProfileKey } from './schedule.ts'

const countEndpoint = statement(
  'death-endpoint',
  `update endpoint_sync set deaths = least(deaths + 1, case when $7 then ${MAX_DEATHS} else ${MAX_DEATHS - 1} end), last_reason = 'worker_died', last_error = $6, last_run_at = $4,
     next_run_at = case when deaths + 1 >= ${MAX_DEATHS} and $7 then ${NEVER}::bigint else $5 end
   where shard = $1 and profile_id = $2 and endpoint = $3 and deaths < ${MAX_DEATHS} returning deaths`,
)
// Whatever the dead worker held of it is free, and nobody else may settle in its name.
const isolateProfile = statement(
  'death-profile',
  `update profile_sync set lease_token = null, alone_until = $3, next_run_at = $4
   where shard = $1 and profile_id = $2 and next_run_at is not null`,
)
const countDestination = statement(
  'death-destination',
  `update destination set deaths = least(deaths + 1, case when $5 then ${MAX_DEATHS} else ${MAX_DEATHS - 1} end), alone_until = $2::bigint + ${ALONE_MS},
     state = case when deaths + 1 >= ${MAX_DEATHS} and $5 then 'parked' else 'failing' end,
     last_error = $3, failing_since = coalesce(failing_since, $2), fails = fails + 1, next_attempt_at = $4
   where id = $1 and state in ('active', 'failing') returning app_id, state`,
)
const freeCursors = statement(
  'death-cursors',
  'update delivery_cursor set lease_token = null, due_at = $2 where destination_id = $1 and lease_token is not null',
)
const clearDestination = statement(
  'death-clear-destination',
  `update destination set deaths = 0, alone_until = 0 where id = $1 and state = 'active' and deaths > 0`,
)
const retryEndpoints = statement(
  'death-retry',
  `update endpoint_sync set deaths = ${MAX_DEATHS - 1}, next_run_at = $3, last_reason = null, last_error = null
   where shard = $1 and profile_id = $2 and deaths >= ${MAX_DEATHS}`,
)
const retryProfile = statement(
  'death-retry-profile',
  `update profile_sync set alone_until = $3::bigint + ${ALONE_MS}, next_run_at = least(next_run_at, $3)
   where shard = $1 and profile_id = $2 and next_run_at is not null`,
)
const countParked = statement(
  'death-parked-count',
  `select count(*)::int as n from endpoint_sync where deaths >= ${MAX_DEATHS}`,
)
const listParked = statement(
  'death-parked',
  `select p.shard, p.profile_id, p.service, e.endpoint, e.last_error, e.last_run_at from endpoint_sync e
   join profile_sync p on p.shard = e.shard and p.profile_id = e.profile_id
   where e.deaths >= ${MAX_DEATHS} and p.app_id = $1 and (p.profile_id, e.endpoint) > ($2, $3)
   order by p.profile_id, e.endpoint limit $4`,
)

/** How many deaths that makes; undefined when the endpoint is not there or parked already. */
export async function countEndpointDeath(
  tx: Queries,
  key: ProfileKey,
  endpoint: string,
  death: { nowMs: number; nextRunAt: number; error: string; alone: boolean },
): Promise<number | undefined> {
  const values = [key.shard, key.profileId, endpoint, death.nowMs, death.nextRunAt, death.error, death.alone]
  return (await tx.rows<{ deaths: number }>(countEndpoint, values))[0]?.deaths
}

export async function runProfileAlone(
  tx: Queries,
  key: ProfileKey,
  times: { aloneUntil: number; nextRunAt: number },
): Promise<void> {
  await tx.count(isolateProfile, [key.shard, key.profileId, times.aloneUntil, times.nextRunAt])
}

/** Undefined when the destination is gone, paused or parked already. */
export async function countDestinationDeath(
  tx: Queries,
  id: string,
  death: { nowMs: number; nextAttemptAt: number; error: string; alone: boolean },
): Promise<{ appId: string; state: DestinationState } | undefined> {
  const [row] = await tx.rows<{ app_id: string; state: DestinationState }>(countDestination, [
    id,
    death.nowMs,
    death.error,
    death.nextAttemptAt,
    death.alone,
  ])
  return row && { appId: row.app_id, state: row.state }
}

/** What the dead worker had leased is due at once. */
export async function freeCursorsOf(tx: Queries, destinationId: string, nowMs: number): Promise<void> {
  await tx.count(freeCursors, [destinationId, nowMs])
}

/** It worked alone without harm: it goes back among the others. */
export async function clearDestinationDeaths(queries: Queries, id: string): Promise<void> {
  await queries.count(clearDestination, [id])
}

/** Parked endpoints get one more try, alone. Gives how many there were. */
export async function retryParkedEndpoints(tx: Queries, key: ProfileKey, nowMs: number): Promise<number> {
  const retried = await tx.count(retryEndpoints, [key.shard, key.profileId, nowMs])
  if (retried > 0) await tx.count(retryProfile, [key.shard, key.profileId, nowMs])
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
  }>(listParked, [appId, after.profileId, after.endpoint, limit])
  return rows.map((row) => ({
    profileId: row.profile_id,
    service: row.service,
    endpoint: row.endpoint,
    error: row.last_error ?? undefined,
    at: row.last_run_at ?? undefined,
  }))
}
