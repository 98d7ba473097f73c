import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'
import { CANDIDATES_PER_ROW, takeInShards } from '../cluster/take-in-shards.ts'
import type { ProfileKey } from '../keys/profile-key.ts'
import { drainedGroup, findGroupsInShards, isNothingDueInShards } from './due-groups.ts'
import type { Scheduled, SyncGroup } from './schedule.ts'

// A loose index scan from group to group: its cost grows with the number of groups, not of profiles.
const findGroups = statement(
  'sync-due-groups',
  `with recursive found as (
     (select app_id, service from profile_sync order by app_id, service limit 1)
     union all
     select next.app_id, next.service from found, lateral (
       select p.app_id, p.service from profile_sync p where (p.app_id, p.service) > (found.app_id, found.service)
       order by p.app_id, p.service limit 1) next
   )
   select app_id, service from found where exists (
     select 1 from profile_sync p
     where p.app_id = found.app_id and p.service = found.service and p.next_run_at <= $nowMs)
     and not exists (select 1 from app where app.id = found.app_id and app.deleting_at is not null)`,
)
/** Limit: profiles leased at once. */
export const MAX_LEASED = 100
// Leasing only moves next_run_at ahead: a crash before the run begins delays the profile by one lease and never
// loses it. The outer limit is a literal for the planner: without it, it expects a tenth of all profiles and reads the
// whole table to join them.
const leaseDue = statement(
  'sync-lease',
  `update profile_sync p set next_run_at = $leaseUntilMs from (
     select due.shard, due.profile_id
     from unnest($appIds::text[], $services::text[], $limits::int[]) as wanted (app_id, service, max), lateral (
       select d.shard, d.profile_id from profile_sync d
       where d.app_id = wanted.app_id and d.service = wanted.service and d.next_run_at <= $nowMs
         and d.alone_until <= $nowMs
       order by d.next_run_at limit wanted.max for update skip locked) due
     limit ${MAX_LEASED}
   ) leased where p.shard = leased.shard and p.profile_id = leased.profile_id
   returning p.shard, p.profile_id, p.app_id, p.service`,
)
// On a sharded server: first the candidates of one group in all shards, then each shard's of them.
const findCandidates = statement(
  'sync-candidates',
  `select shard, profile_id from profile_sync
   where app_id = $appId and service = $service and next_run_at <= $nowMs and alone_until <= $nowMs
   order by next_run_at limit $limit`,
)
const leaseInShard = statement(
  'sync-lease-in-shard',
  `update profile_sync p set next_run_at = $leaseUntilMs from (
     select d.shard, d.profile_id from profile_sync d
     where d.shard = $shard and d.profile_id = any($profileIds) and d.next_run_at <= $nowMs
       and (d.alone_until > $nowMs) = $alone for update skip locked) due
   where p.shard = $shard and p.shard = due.shard and p.profile_id = due.profile_id
   returning p.shard, p.profile_id, p.app_id, p.service`,
)
const endUnusedLeases = statement(
  'sync-return',
  `update profile_sync set next_run_at = $dueAt
   where shard = $shard and profile_id = any($profileIds) and next_run_at = $leaseUntilMs`,
)

/** Groups that have a profile due; on a sharded server, that may have one. */
export async function findDueGroups(queries: Queries, nowMs: number, services: string[]): Promise<SyncGroup[]> {
  if (await isSharded(queries)) return findGroupsInShards(queries, nowMs, services)
  const rows = await queries.rows<{ app_id: string; service: string }>(findGroups.with({ nowMs }))
  return rows.map((row) => ({ appId: row.app_id, service: row.service }))
}

/** Whether no profile of these services is due until then. */
export async function isNoProfileDue(queries: Queries, untilMs: number, services: string[]): Promise<boolean> {
  if (await isSharded(queries)) return isNothingDueInShards(queries, untilMs, services)
  const groups = await findDueGroups(queries, untilMs, services)
  return !groups.some(({ service }) => services.includes(service))
}

interface LeasedRow {
  shard: number
  profile_id: string
  app_id: string
  service: string
}

/** Leases due profiles of each group, up to its limit. No other caller gets them until the lease ends. */
export async function leaseDueProfiles(
  queries: Queries,
  groups: (SyncGroup & { most: number })[],
  nowMs: number,
  leaseUntilMs: number,
): Promise<Scheduled[]> {
  if (await isSharded(queries)) {
    const leased: Scheduled[] = []
    for (const group of groups) {
      const most = Math.min(group.most, MAX_LEASED - leased.length)
      if (most > 0) leased.push(...(await leaseInShards(queries, { ...group, most }, nowMs, leaseUntilMs)))
    }
    return leased
  }
  const rows = await queries.rows<LeasedRow>(
    leaseDue.with({
      nowMs,
      leaseUntilMs,
      appIds: groups.map(({ appId }) => appId),
      services: groups.map(({ service }) => service),
      limits: groups.map(({ most }) => most),
    }),
  )
  return rows.map(toLeased)
}

async function leaseInShards(
  queries: Queries,
  { appId, service, most }: SyncGroup & { most: number },
  nowMs: number,
  leaseUntilMs: number,
): Promise<Scheduled[]> {
  const limit = most * CANDIDATES_PER_ROW
  const candidates = await queries.rows<{ shard: number; profile_id: string }>(
    findCandidates.with({ appId, service, nowMs, limit }),
  )
  if (candidates.length < limit) drainedGroup(queries, { appId, service })
  return takeInShards(candidates, most, async (shard, keys) => {
    const profileIds = keys.map(({ profile_id }) => profile_id)
    const values = { shard, profileIds, nowMs, leaseUntilMs, alone: false }
    return (await queries.rows<LeasedRow>(leaseInShard.with(values))).map(toLeased)
  })
}

/** Ends leases that were not used; profiles that were rescheduled since stay as they are. */
export async function returnLeases(
  queries: Queries,
  profiles: ProfileKey[],
  leaseUntilMs: number,
  dueAt: number,
): Promise<void> {
  for (const [shard, ofShard] of Map.groupBy(profiles, (each) => each.shard)) {
    const profileIds = ofShard.map(({ profileId }) => profileId)
    await queries.count(endUnusedLeases.with({ shard, profileIds, leaseUntilMs, dueAt }))
  }
}

/** Leases one profile with which a worker died. False when it is not due any more, or another process was first. */
export async function leaseAlone(
  queries: Queries,
  { shard, profileId }: ProfileKey,
  nowMs: number,
  leaseUntilMs: number,
): Promise<boolean> {
  const values = { shard, profileIds: [profileId], nowMs, leaseUntilMs, alone: true }
  return (await queries.rows(leaseInShard.with(values))).length > 0
}

function toLeased({ shard, profile_id: profileId, app_id: appId, service }: LeasedRow): Scheduled {
  return { shard, profileId, appId, service }
}
