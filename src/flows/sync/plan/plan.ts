import type { Chance } from '#platform/chance.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import type { JobEngine } from '#store/queues.ts'
import { findDueGroups, isNoProfileDue, leaseDueProfiles, MAX_LEASED, returnLeases } from '#store/sync/due-profiles.ts'
import { chanceOf, leaseEnd, type SyncDeps } from '../deps.ts'

/** Limit: waiting sync jobs, enough to keep every worker busy; further due profiles are not queued yet. */
const MAX_WAITING_JOBS = 200
/** Wait before a profile is planned again whose last job the engine has not completed yet. */
const BUSY_MS = 1000

/**
 * Leases due profiles and queues one wake-up each. Every process plans; the first to lease a row wakes it. The free
 * places in the queue are shared among the apps at each service, as far as their rate limits allow: an app that is
 * blocked or has a million due profiles delays no other. Returns the number of profiles woken.
 */
export async function planSyncs(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'registry' | 'rateLimiter' | 'times' | 'chance'> & { engine: JobEngine },
): Promise<number> {
  const { database, clock, engine } = deps
  const free = Math.min(MAX_LEASED, MAX_WAITING_JOBS - (await engine.waiting('sync', MAX_WAITING_JOBS)))
  if (free <= 0) return 0
  const nowMs = clock.now()
  const groups = shuffle(await groupsWithCapacity(deps, nowMs), chanceOf(deps))
  if (groups.length === 0) return 0
  const untilMs = leaseEnd(deps)
  const due = await leaseDueProfiles(database, share(groups, free), nowMs, untilMs)
  if (due.length === 0) return 0
  const alone = due.filter((each) => each.alone)
  const others = due.filter((each) => !each.alone)
  const busy = new Set([
    ...(await wake(engine, 'sync', others, ({ profileId }) => profileId)),
    ...(await wake(engine, 'alone', alone, ({ profileId }) => `sync:${profileId}`)),
  ])
  const postponed = due.filter(({ profileId }) => busy.has(profileId))
  await returnLeases(database, postponed, untilMs, clock.now() + BUSY_MS)
  return due.length - postponed.length
}

/** Whether no profile is due until then, as far as is written now. */
export function isNoSyncDue(
  { database, registry }: Pick<SyncDeps, 'database' | 'registry'>,
  untilMs: number,
): Promise<boolean> {
  return isNoProfileDue(database, untilMs, servicesOf(registry))
}

const servicesOf = (registry: SyncDeps['registry']) => registry.list().map(({ service }) => service)

/** Returns the ids of profiles whose previous job is not completed yet. */
async function wake(
  engine: JobEngine,
  queue: 'sync' | 'alone',
  due: ProfileKey[],
  keyOf: (profile: ProfileKey) => string,
): Promise<string[]> {
  if (due.length === 0) return []
  const wakeUps = due.map((each) => ({ key: keyOf(each), data: { shard: each.shard, profileId: each.profileId } }))
  const busy = new Set(await engine.wake(queue, wakeUps))
  return due.filter((each) => busy.has(keyOf(each))).map(({ profileId }) => profileId)
}

interface Group {
  appId: string
  service: string
  capacity: number
}

async function groupsWithCapacity(
  { database, registry, rateLimiter }: Pick<SyncDeps, 'database' | 'registry' | 'rateLimiter'>,
  nowMs: number,
): Promise<Group[]> {
  const groups = await findDueGroups(database, nowMs, servicesOf(registry))
  const known = groups.flatMap((group) => {
    const connector = registry.find(group.service)
    return connector === undefined ? [] : [{ ...group, connector }]
  })
  const capacities = known.length === 0 ? [] : await rateLimiter.capacity(known)
  return known
    .map(({ appId, service }, i) => ({ appId, service, capacity: capacities[i] ?? 0 }))
    .filter(({ capacity }) => capacity > 0)
}

function shuffle(groups: Group[], chance: Chance): Group[] {
  return groups.sort(() => chance() - 0.5)
}

/** Capacity that a small group does not need goes to the others. */
function share(groups: Group[], free: number): (Group & { most: number })[] {
  const chosen = groups.slice(0, free).sort((a, b) => a.capacity - b.capacity)
  let left = free
  return chosen.map((group, i) => {
    const most = Math.min(group.capacity, Math.ceil(left / (chosen.length - i)))
    left -= most
    return { ...group, most }
  })
}
