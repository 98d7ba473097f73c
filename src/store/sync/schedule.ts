import { execute, type Queries, statement } from '#platform/postgres/database.ts'
import type { ProfileKey } from '../keys/profile-key.ts'

export interface Scheduled extends ProfileKey {
  appId: string
  service: string
}

/** A profile whose lease the caller holds. */
export interface Taken extends Scheduled {
  readerVersion: number
  /** When the service's record of the person was last requested, also at the sign-in; 0: before that was recorded. */
  selfReadAt: number
  /** Its first sync was complete before. */
  isFirstCompleted: boolean
  /** When a caller requested this run; undefined: it was due. */
  requestedAt: number | undefined
}

interface TakenRow {
  app_id: string
  service: string
  reader_version: number
  self_read_at: number | null
  first_completed_at: number | null
  requested_at: number | null
}

/** All profiles of one app at one service: they share its rate limits. */
export interface SyncGroup {
  appId: string
  service: string
}

const insertProfile = statement(
  'sync-profile-insert',
  `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq, reader_version, self_read_at)
   values ($shard, $profileId, $appId, $service, $nowMs, 0, $readerVersion, $nowMs)
   on conflict (shard, profile_id) do update set next_run_at = excluded.next_run_at, lease_token = null,
     self_read_at = excluded.self_read_at`,
)
const insertEndpoints = statement(
  'sync-endpoint-insert',
  `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults,
     quarantined, suspect_deletes)
   select $shard, $profileId, name, $nowMs, interval_ms, 0, 0, 0, 0, 0, 0
   from unnest($names::text[], $intervals::bigint[]) as wanted (name, interval_ms)
   on conflict (shard, profile_id, endpoint)
   do update set next_run_at = excluded.next_run_at, fails = 0, last_reason = null, last_error = null`,
)
const takeLease = statement(
  'sync-take',
  `update profile_sync set lease_token = $token, next_run_at = $leaseUntilMs
   where shard = $shard and profile_id = $profileId and next_run_at is not null
     and (alone_until > $nowMs) = $alone
   returning app_id, service, reader_version, self_read_at, first_completed_at, requested_at`,
)
const extendLease = statement(
  'sync-hold',
  `update profile_sync set next_run_at = greatest(next_run_at, $leaseUntilMs), seq = seq + $count
   where shard = $shard and profile_id = $profileId and lease_token = $token returning seq`,
)
const setSelfRead = statement(
  'sync-self-read',
  `update profile_sync set self_read_at = $nowMs
   where shard = $shard and profile_id = $profileId and lease_token = $token`,
)
const setFirstCompleted = statement(
  'sync-first-completed',
  `update profile_sync set first_completed_at = $nowMs
   where shard = $shard and profile_id = $profileId and lease_token = $token and first_completed_at is null`,
)
const lock = statement(
  'sync-lock',
  'select lease_token from profile_sync where shard = $shard and profile_id = $profileId for update',
)
const makeDue = statement(
  'sync-due',
  `update profile_sync set next_run_at = $nowMs
   where shard = $shard and profile_id = $profileId and lease_token is null and next_run_at > $nowMs`,
)
const setRequested = statement(
  'sync-requested',
  'update profile_sync set requested_at = $nowMs where shard = $shard and profile_id = $profileId',
)
const revokeLease = statement(
  'sync-revoke-lease',
  `update profile_sync set next_run_at = $nowMs, lease_token = null
   where shard = $shard and profile_id = $profileId and next_run_at is not null`,
)
const giveBack = statement(
  'sync-give-back',
  `update profile_sync set next_run_at = $dueAt, lease_token = null
   where shard = $shard and profile_id = $profileId and lease_token = $token`,
)
const unschedule = statement(
  'sync-stop',
  `update profile_sync set next_run_at = null, lease_token = null
   where shard = $shard and profile_id = $profileId`,
)
const resume = statement(
  'sync-resume',
  `update profile_sync set next_run_at = $nowMs
   where shard = $shard and profile_id = $profileId and next_run_at is null`,
)
const unscheduleLeased = statement(
  'sync-stop-mine',
  `update profile_sync set next_run_at = null, lease_token = null
   where shard = $shard and profile_id = $profileId and lease_token = $token`,
)
const remove = statement('sync-remove', 'delete from profile_sync where shard = $shard and profile_id = $profileId')

/** Schedules a profile that was just connected: all its endpoints are due. */
export async function scheduleProfile(
  tx: Queries,
  profile: Scheduled & { readerVersion: number },
  endpoints: { name: string; everyMs: number }[],
  nowMs: number,
): Promise<void> {
  await execute(tx, insertProfile.with({ ...profile, nowMs }))
  await scheduleEndpoints(tx, { shard: profile.shard, profileId: profile.profileId }, endpoints, nowMs)
}

export async function scheduleEndpoints(
  tx: Queries,
  key: ProfileKey,
  endpoints: { name: string; everyMs: number }[],
  nowMs: number,
): Promise<void> {
  const [names, intervals] = [endpoints.map(({ name }) => name), endpoints.map(({ everyMs }) => everyMs)]
  await execute(tx, insertEndpoints.with({ ...key, nowMs, names, intervals }))
}

/**
 * Makes the caller the holder of the profile's lease. Undefined when the profile is not scheduled, or not in this
 * process: a profile of which a worker died runs alone in a process for a while.
 */
export async function takeProfile(
  queries: Queries,
  key: ProfileKey,
  token: string,
  leaseUntilMs: number,
  { alone, nowMs }: { alone: boolean; nowMs: number },
): Promise<Taken | undefined> {
  const values = { ...key, token, leaseUntilMs, alone, nowMs }
  const [row] = await queries.rows<TakenRow>(takeLease.with(values))
  if (row === undefined) return undefined
  const { app_id: appId, service, reader_version: readerVersion, self_read_at: selfReadAt } = row
  const isFirstCompleted = row.first_completed_at !== null
  const requestedAt = row.requested_at ?? undefined
  return { ...key, appId, service, readerVersion, selfReadAt: selfReadAt ?? 0, isFirstCompleted, requestedAt }
}

/** The person's record is requested now, by the holder of the lease. */
export async function markSelfRead(queries: Queries, key: ProfileKey, token: string, nowMs: number): Promise<void> {
  await queries.count(setSelfRead.with({ ...key, token, nowMs }))
}

/** False when that was stored before, or the lease was lost. */
export async function markFirstCompleted(tx: Queries, key: ProfileKey, token: string, nowMs: number): Promise<boolean> {
  return (await tx.count(setFirstCompleted.with({ ...key, token, nowMs }))) > 0
}

/**
 * The first statement of every transaction that writes: locks the row, extends the lease and assigns `count` seqs.
 * Undefined when the lease was lost: the caller must write nothing.
 */
export async function holdProfile(
  tx: Queries,
  key: ProfileKey,
  token: string,
  leaseUntilMs: number,
  count: number,
): Promise<number | undefined> {
  const [row] = await tx.rows<{ seq: number }>(extendLease.with({ ...key, token, leaseUntilMs, count }))
  return row?.seq
}

/** Locks the profile's row. Needed to change when endpoints are due, so that a run that ends meanwhile sees it. */
export async function lockSchedule(tx: Queries, key: ProfileKey): Promise<void> {
  await execute(tx, lock.with(key))
}

/** Requests a run now. A run in progress checks when its endpoints are due again as it ends. */
export async function makeProfileDue(queries: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await queries.count(makeDue.with({ ...key, nowMs }))
}

/** A caller asked for the next run: the log shows it even if it finds nothing. */
export async function markRequested(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(setRequested.with({ ...key, nowMs }))
}

/** Requests a run now and revokes the lease of a run in progress, whose results are obsolete. */
export async function revokeProfileLease(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(revokeLease.with({ ...key, nowMs }))
}

/** Ends the lease of a run that did not end itself; the profile is due again then. */
export async function giveBackProfile(queries: Queries, key: ProfileKey, token: string, dueAt: number): Promise<void> {
  await queries.count(giveBack.with({ ...key, token, dueAt }))
}

/** Stops syncing the profile until it is scheduled again. With a token: only if the caller still holds the lease. */
export async function unscheduleProfile(queries: Queries, key: ProfileKey, token?: string): Promise<void> {
  if (token === undefined) await queries.count(unschedule.with(key))
  else await queries.count(unscheduleLeased.with({ ...key, token }))
}

/** Makes an unscheduled profile due; a scheduled one stays as it is. */
export async function resumeSchedule(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(resume.with({ ...key, nowMs }))
}

export async function removeSchedule(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(remove.with(key))
}
