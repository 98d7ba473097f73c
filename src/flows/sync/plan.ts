import { systemChance } from '#platform/chance.ts'
import type { JobEngine } from '#store/queues.ts'
import { findDueGroups, leaseDueProfiles, MAX_LEASED, type ProfileKey, returnLeases } from '#store/sync/schedule.ts'
import { leaseEnd, type SyncDeps } from './deps.ts'

/** So many waiting jobs keep every worker busy; more would only grow old in the queue. */
const ENOUGH_WAITING = 200
/** A profile whose last turn is not off the engine's books yet is asked again so soon. */
const BUSY_MS = 1000

/**
 * Turns due rows into wake-ups. Every process does this; whoever leases a row first wakes it. Each app gets its share at each
 * service, as far as its calls go: one that is blocked or has a million due profiles keeps nobody else waiting. Gives how many.
 */
export async function planSyncs(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'registry' | 'rateLimiter' | 'times'> & { engine: JobEngine },
): Promise<number> {
  const { database, clock, engine } = deps
  const free = Math.min(MAX_LEASED, ENOUGH_WAITING - (await engine.waiting('sync', ENOUGH_WAITING)))
  if (free <= 0) return 0
  const nowMs = clock.now()
  const groups = await capacityOfGroups(deps, nowMs)
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
  const again = due.filter(({ profileId }) => busy.has(profileId))
  await returnLeases(database, again, untilMs, clock.now() + BUSY_MS)
  return due.length - again.length
}

/** Gives the profiles that were not taken. */
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

async function capacityOfGroups(
  { database, registry, rateLimiter }: Pick<SyncDeps, 'database' | 'registry' | 'rateLimiter'>,
  nowMs: number,
): Promise<Group[]> {
  const groups = await findDueGroups(database, nowMs)
  const known = groups.flatMap((group) => {
    const connector = registry.find(group.service)
    return connector === undefined ? [] : [{ ...group, connector }]
  })
  const rooms = known.length === 0 ? [] : await rateLimiter.capacity(known)
  return known
    .map(({ appId, service }, i) => ({ appId, service, capacity: rooms[i] ?? 0 }))
    .filter(({ capacity }) => capacity > 0)
    .sort(() => systemChance() - 0.5)
}

/** What a small group does not need goes to the others. */
function share(groups: Group[], free: number): (Group & { most: number })[] {
  const chosen = groups.slice(0, free).sort((a, b) => a.capacity - b.capacity)
  let left = free
  return chosen.map((group, i) => {
    const most = Math.min(group.capacity, Math.ceil(left / (chosen.length - i)))
    left -= most
    return { ...group, most }
  })
}
