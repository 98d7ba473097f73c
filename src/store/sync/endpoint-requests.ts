import { MAX_DEATHS } from '#model/sync/deaths.ts'
import { shardIn } from '#platform/crypto/ids.ts'
import { type Database, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { CLEAR_POSITION, IS_WAITING, NEVER } from './endpoints.ts'
import { shardsOfApp } from './shards-of-app.ts'

const switchOnEndpoints = statement(
  'endpoint-wake-app',
  `update endpoint_sync e set next_run_at = $nowMs from profile_sync p
   where e.shard = $shard and p.shard = $shard and p.app_id = $appId and p.shard = e.shard
     and p.profile_id = e.profile_id and e.next_run_at >= ${NEVER} and e.deaths < ${MAX_DEATHS}`,
)
const wakeStopped = statement(
  'spending-wake',
  `update endpoint_sync e set next_run_at = $nowMs from profile_sync p
   where e.shard = $shard and p.shard = $shard and p.app_id = $appId and p.shard = e.shard
     and p.profile_id = e.profile_id
     and e.last_reason in ('spending_limit_reached', 'unpaid') and e.next_run_at > $nowMs`,
)
const makeProfilesDue = statement(
  'endpoint-wake-profiles',
  `update profile_sync p set next_run_at = $nowMs
   where p.shard = $shard and p.app_id = $appId and p.lease_token is null and p.next_run_at > $nowMs and exists (
     select 1 from endpoint_sync e
     where e.shard = $shard and e.shard = p.shard and e.profile_id = p.profile_id and e.next_run_at <= $nowMs)`,
)
// A service that has said how long to wait is not called earlier, even on request.
const makeDue = statement(
  'endpoint-now',
  `update endpoint_sync set next_run_at = case when ${IS_WAITING} then next_run_at else $nowMs end,
     confirm_deletes = confirm_deletes or $confirmDeletes,
     retry_quarantined = retry_quarantined or ($retryQuarantined and quarantined > 0)
   where shard = $shard and profile_id = $profileId and next_run_at < ${NEVER} and endpoint <> all($except::text[])
     and ($endpoints::text[] is null or endpoint = any($endpoints))`,
)
const reset = statement(
  'endpoint-reset',
  `update endpoint_sync set next_run_at = $nowMs, ${CLEAR_POSITION}, epoch = epoch + 1, fails = 0, last_reason = null,
     last_error = null
   where shard = $shard and profile_id = $profileId and next_run_at < ${NEVER}`,
)
// A service that has said how long to wait is not called earlier.
const repeatRequests = statement(
  'endpoint-repeat',
  `update endpoint_sync set walk = null, seen = null,
     next_run_at = case when ${IS_WAITING} then next_run_at else least(next_run_at, $nowMs) end
   where shard = $shard and profile_id = $profileId and endpoint = any($endpoints) and next_run_at < ${NEVER}`,
)
const inApp = `p.shard = $shard and p.app_id = $appId
     and ($profileIds::text[] is null or p.profile_id = any($profileIds))`
// A run in progress loses its lease: otherwise it would save the position that is cleared here.
const revokeFullLeases = statement(
  'sync-revoke-full',
  `update profile_sync p set next_run_at = $nowMs, lease_token = null
   where ${inApp} and p.next_run_at is not null and exists (
     select 1 from endpoint_sync e
     where e.shard = $shard and e.shard = p.shard and e.profile_id = p.profile_id and e.left_out is not null)`,
)
const restartFull = statement(
  'endpoint-wake-full',
  `update endpoint_sync e set next_run_at = $nowMs, ${CLEAR_POSITION} from profile_sync p
   where e.shard = $shard and ${inApp} and p.shard = e.shard and p.profile_id = e.profile_id
     and e.left_out is not null and e.next_run_at < ${NEVER}`,
)

/**
 * Makes switched-off endpoints due after an app changed its rules, and those that its spending stopped; their next run applies
 * the rules again. Shard by shard, so that it can be repeated.
 */
export async function wakeEndpointsOf(queries: Queries, appId: string, nowMs: number): Promise<void> {
  for (const shard of await shardsOfApp(queries, appId)) {
    const values = { shard, appId, nowMs }
    await queries.count(switchOnEndpoints.with(values))
    await queries.count(wakeStopped.with(values))
    await queries.count(makeProfilesDue.with(values))
  }
}

/**
 * Has endpoints read from the beginning where a quota left items out: of all profiles of an app, or of these. Stored
 * items are not written again.
 */
export async function wakeFullEndpoints(
  database: Database,
  appId: string,
  profileIds: string[] | undefined,
  nowMs: number,
): Promise<void> {
  const shards = profileIds === undefined ? await shardsOfApp(database, appId) : new Set(profileIds.map(shardIn))
  for (const shard of shards)
    await database.transaction(async (tx) => {
      const values = { shard, appId, profileIds: profileIds ?? null, nowMs }
      await tx.count(revokeFullLeases.with(values))
      await tx.count(restartFull.with(values))
    })
}

export async function makeEndpointsDue(
  queries: Queries,
  key: ProfileKey,
  nowMs: number,
  options: {
    confirmDeletes: boolean
    retryQuarantined: boolean
    endpoints?: readonly string[] | undefined
    except: readonly string[]
  },
): Promise<void> {
  const endpoints = options.endpoints === undefined ? null : [...options.endpoints]
  await queries.count(makeDue.with({ ...options, endpoints, ...key, nowMs }))
}

/** The addresses of these endpoints have changed: they are due, and unfinished walks begin again. */
export async function makeRequestsAgain(
  tx: Queries,
  key: ProfileKey,
  endpoints: string[],
  nowMs: number,
): Promise<void> {
  await tx.count(repeatRequests.with({ ...key, endpoints, nowMs }))
}

/** Clears the position of every endpoint, so that all is read again. */
export async function resetEndpoints(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(reset.with({ ...key, nowMs }))
}
