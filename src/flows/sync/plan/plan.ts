import type { Chance } from '#platform/chance.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { findDueGroups, isNoProfileDue, leaseDueProfiles, MAX_LEASED, returnLeases } from '#store/sync/due-profiles.ts'
import { chanceOf, leaseEnd, type SyncDeps } from '../deps.ts'

/** Wait before a profile is planned again whose last run has not ended in this process. */
const BUSY_MS = 1000

/** Where the runs of a process begin. */
export interface SyncRuns {
  /** How many may begin now. */
  free: () => number
  isRunning: (profileId: string) => boolean
  start: (profile: ProfileKey) => void
}

/**
 * Leases due profiles and begins their runs, as many as this process has room for. Every process plans; the first to lease a row runs
 * it. The free places are shared among the apps at each service, as far as their rate limits allow: an app that is blocked or has a
 * million due profiles delays no other. Returns the number of runs begun.
 */
export async function planSyncs(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'registry' | 'rateLimiter' | 'times' | 'chance'>,
  runs: SyncRuns,
): Promise<number> {
  const { database, clock } = deps
  const free = Math.min(MAX_LEASED, runs.free())
  if (free <= 0) return 0
  const nowMs = clock.now()
  const groups = shuffle(await groupsWithCapacity(deps, nowMs), chanceOf(deps))
  if (groups.length === 0) return 0
  const untilMs = leaseEnd(deps)
  const due = await leaseDueProfiles(database, share(groups, free), nowMs, untilMs)
  // A profile that was made due while its run goes on.
  const postponed = due.filter(({ profileId }) => runs.isRunning(profileId))
  const begun = due.filter((each) => !postponed.includes(each))
  for (const each of begun) runs.start(each)
  await returnLeases(database, postponed, untilMs, clock.now() + BUSY_MS)
  return begun.length
}

/** Whether no profile is due until then, as far as is written now. */
export function isNoSyncDue(
  { database, registry }: Pick<SyncDeps, 'database' | 'registry'>,
  untilMs: number,
): Promise<boolean> {
  return isNoProfileDue(database, untilMs, servicesOf(registry))
}

const servicesOf = (registry: SyncDeps['registry']) => registry.list().map(({ service }) => service)

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
