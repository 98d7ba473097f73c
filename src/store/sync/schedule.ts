import { type Database, type Queries, statement } from '#platform/postgres/database.ts'

export interface ProfileKey {
  shard: number
  profileId: string
}

export interface Scheduled extends ProfileKey {
  appId: string
  service: string
}

/** All profiles of one app at one service: they share a budget. */
export interface SyncGroup {
  appId: string
  service: string
}

const insertProfile = statement(
  'sync-profile-insert',
  `insert into profile_sync (shard, profile_id, app_id, service, next_run_at, seq) values ($1, $2, $3, $4, $5, 0)
   on conflict (shard, profile_id) do update set next_run_at = excluded.next_run_at, lease_token = null`,
)
const insertEndpoints = statement(
  'sync-endpoint-insert',
  `insert into endpoint_sync (shard, profile_id, endpoint, next_run_at, interval_ms, epoch, items, fails, faults, quarantined, suspect_deletes)
   select $1, $2, name, $3, every_ms, 0, 0, 0, 0, 0, 0 from unnest($4::text[], $5::bigint[]) as wanted (name, every_ms)
   on conflict (shard, profile_id, endpoint) do update set next_run_at = excluded.next_run_at, fails = 0, last_reason = null, last_error = null`,
)
// Steps from group to group along the index: its cost is the number of groups, never of profiles.
const dueGroups = statement(
  'sync-due-groups',
  `with recursive found as (
     (select app_id, service from profile_sync order by app_id, service limit 1)
     union all
     select next.app_id, next.service from found, lateral (
       select p.app_id, p.service from profile_sync p where (p.app_id, p.service) > (found.app_id, found.service)
       order by p.app_id, p.service limit 1) next
   )
   select app_id, service from found where exists (
     select 1 from profile_sync p where p.app_id = found.app_id and p.service = found.service and p.next_run_at <= $1)
     and not exists (select 1 from app where app.id = found.app_id and app.deleting_at is not null)`,
)
/** Limit: profiles leased at once. */
export const MAX_LEASED = 100
// Leasing only moves the time ahead: a crash between this and the wake-up costs one lease, never a profile. The last limit is a number
// that the planner sees: without it, it expects a tenth of all profiles and reads the whole table to join them.
const leaseDue = statement(
  'sync-lease',
  `update profile_sync p set next_run_at = $2 from (
     select due.shard, due.profile_id from unnest($3::text[], $4::text[], $5::int[]) as wanted (app_id, service, most), lateral (
       select d.shard, d.profile_id from profile_sync d
       where d.app_id = wanted.app_id and d.service = wanted.service and d.next_run_at <= $1
       order by d.next_run_at limit wanted.most for update skip locked) due
     limit ${MAX_LEASED}
   ) leased where p.shard = leased.shard and p.profile_id = leased.profile_id
   returning p.shard, p.profile_id, p.app_id, p.service, p.alone_until > $1 as alone`,
)
const giveBack = statement(
  'sync-return',
  `update profile_sync p set next_run_at = $4 from unnest($1::smallint[], $2::text[]) as busy (shard, profile_id)
   where p.shard = busy.shard and p.profile_id = busy.profile_id and p.next_run_at = $3`,
)
const take = statement(
  'sync-take',
  `update profile_sync set lease_token = $3, next_run_at = $4 where shard = $1 and profile_id = $2 and next_run_at is not null
     and (alone_until > $5) = $6 returning app_id, service`,
)
const hold = statement(
  'sync-hold',
  `update profile_sync set next_run_at = greatest(next_run_at, $4), seq = seq + $5
   where shard = $1 and profile_id = $2 and lease_token = $3 returning seq`,
)
const lock = statement(
  'sync-lock',
  'select lease_token from profile_sync where shard = $1 and profile_id = $2 for update',
)
const finish = statement(
  'sync-finish',
  `update profile_sync p set lease_token = null, next_run_at = greatest($4::bigint,
     (select min(e.next_run_at) from endpoint_sync e where e.shard = $1 and e.profile_id = $2))
   where p.shard = $1 and p.profile_id = $2 and p.lease_token = $3`,
)
const makeDue = statement(
  'sync-due',
  'update profile_sync set next_run_at = $3 where shard = $1 and profile_id = $2 and lease_token is null and next_run_at > $3',
)
const revokeLease = statement(
  'sync-overtake',
  'update profile_sync set next_run_at = $3, lease_token = null where shard = $1 and profile_id = $2 and next_run_at is not null',
)
const stop = statement(
  'sync-stop',
  'update profile_sync set next_run_at = null, lease_token = null where shard = $1 and profile_id = $2',
)
const resume = statement(
  'sync-resume',
  'update profile_sync set next_run_at = $3 where shard = $1 and profile_id = $2 and next_run_at is null',
)
const stopMine = statement(
  'sync-stop-mine',
  'update profile_sync set next_run_at = null, lease_token = null where shard = $1 and profile_id = $2 and lease_token = $3',
)
const remove = statement('sync-remove', 'delete from profile_sync where shard = $1 and profile_id = $2')

/** A profile that was just connected: everything is due at once. */
export async function scheduleProfile(
  tx: Queries,
  profile: Scheduled,
  endpoints: { name: string; everyMs: number }[],
  nowMs: number,
): Promise<void> {
  await tx.count(insertProfile, [profile.shard, profile.profileId, profile.appId, profile.service, nowMs])
  await scheduleEndpoints(tx, profile, endpoints, nowMs)
}

export async function scheduleEndpoints(
  tx: Queries,
  key: ProfileKey,
  endpoints: { name: string; everyMs: number }[],
  nowMs: number,
): Promise<void> {
  const [names, paces] = [endpoints.map(({ name }) => name), endpoints.map(({ everyMs }) => everyMs)]
  await tx.count(insertEndpoints, [key.shard, key.profileId, nowMs, names, paces])
}

/** Those that have at least one profile due. */
export async function findDueGroups(queries: Queries, nowMs: number): Promise<SyncGroup[]> {
  const rows = await queries.rows<{ app_id: string; service: string }>(dueGroups, [nowMs])
  return rows.map((row) => ({ appId: row.app_id, service: row.service }))
}

/** Due profiles of each group, no more than it may have, each given to one caller until the lease ends. */
export async function leaseDueProfiles(
  queries: Queries,
  groups: (SyncGroup & { most: number })[],
  nowMs: number,
  leaseUntilMs: number,
): Promise<(Scheduled & { alone: boolean })[]> {
  const rows = await queries.rows<{
    shard: number
    profile_id: string
    app_id: string
    service: string
    alone: boolean
  }>(leaseDue, [
    nowMs,
    leaseUntilMs,
    groups.map(({ appId }) => appId),
    groups.map(({ service }) => service),
    groups.map(({ most }) => most),
  ])
  return rows.map(({ shard, profile_id: profileId, app_id: appId, service, alone }) => ({
    shard,
    profileId,
    appId,
    service,
    alone,
  }))
}

/** Gives leases back that led to nothing; those that somebody has moved since stay as they are. */
export async function returnLeases(
  queries: Queries,
  profiles: ProfileKey[],
  leaseUntilMs: number,
  againAtMs: number,
): Promise<void> {
  if (profiles.length === 0) return
  const [shards, ids] = [profiles.map(({ shard }) => shard), profiles.map(({ profileId }) => profileId)]
  await queries.count(giveBack, [shards, ids, leaseUntilMs, againAtMs])
}

/**
 * Makes the caller the one whose writes count. Undefined when the profile is not to be synced any more, or not here: what a worker
 * died of runs alone in a process until its time is over.
 */
export async function takeProfile(
  queries: Queries,
  key: ProfileKey,
  token: string,
  leaseUntilMs: number,
  where: { alone: boolean; nowMs: number },
): Promise<Scheduled | undefined> {
  const [row] = await queries.rows<{ app_id: string; service: string }>(take, [
    key.shard,
    key.profileId,
    token,
    leaseUntilMs,
    where.nowMs,
    where.alone,
  ])
  return row && { ...key, appId: row.app_id, service: row.service }
}

/**
 * First statement of every settle: holds the row, moves the lease on and hands out `count` numbers.
 * Undefined when somebody else took the profile meanwhile: the caller must write nothing.
 */
export async function holdProfile(
  tx: Queries,
  key: ProfileKey,
  token: string,
  leaseUntilMs: number,
  count: number,
): Promise<number | undefined> {
  const [row] = await tx.rows<{ seq: number }>(hold, [key.shard, key.profileId, token, leaseUntilMs, count])
  return row?.seq
}

/** Ends a run: the profile is due when its next endpoint is, but not before `earliestMs`. */
export async function finishProfile(
  database: Database,
  key: ProfileKey,
  token: string,
  earliestMs: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    // First the row, then a statement that sees what was committed before: a sync that is asked for meanwhile is not lost.
    await lockSchedule(tx, key)
    return (await tx.count(finish, [key.shard, key.profileId, token, earliestMs])) > 0
  })
}

/** Whoever changes when endpoints are due holds the profile's row, so that a run that ends meanwhile sees it. */
export async function lockSchedule(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.rows(lock, [key.shard, key.profileId])
}

/** Asks for a run now. A run under way looks at its endpoints' times again when it ends. */
export async function makeProfileDue(queries: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await queries.count(makeDue, [key.shard, key.profileId, nowMs])
}

/** Asks for a run now, and takes the pen from one under way: what it still learns belongs to the time before. */
export async function revokeProfileLease(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(revokeLease, [key.shard, key.profileId, nowMs])
}

/** Not to be synced until it is scheduled anew. With a token: only if the caller still has the profile. */
export async function unscheduleProfile(queries: Queries, key: ProfileKey, token?: string): Promise<void> {
  if (token === undefined) await queries.count(stop, [key.shard, key.profileId])
  else await queries.count(stopMine, [key.shard, key.profileId, token])
}

/** What was not to be synced is due again; what is scheduled already stays as it is. */
export async function resumeSchedule(tx: Queries, key: ProfileKey, nowMs: number): Promise<void> {
  await tx.count(resume, [key.shard, key.profileId, nowMs])
}

export async function removeSchedule(tx: Queries, key: ProfileKey): Promise<void> {
  await tx.count(remove, [key.shard, key.profileId])
}
