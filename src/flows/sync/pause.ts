import type { Profile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { writeAudit } from '#store/audit.ts'
import { findProfile, pauseProfile, resumeProfile } from '#store/identity/profiles.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { listEndpoints } from '#store/sync/endpoints.ts'
import { resumeSchedule, unscheduleProfile } from '#store/sync/schedule.ts'
import type { SyncDeps } from './deps.ts'

type PauseDeps = Pick<SyncDeps, 'database' | 'clock'>

/**
 * Stops syncs until they are resumed; a sign-in does not resume them. Stored items are still read and pushed, and the
 * proxy works. A run in progress writes nothing after this; what it had not stored is fetched again later. Idempotent.
 */
export async function pauseSync({ database, clock }: PauseDeps, profile: Profile, actor: string): Promise<Profile> {
  const now = clock.now()
  return database.transaction(async (tx) => {
    const state = await pauseProfile(tx, profile, now)
    if (state !== undefined) {
      await unscheduleProfile(tx, keyOf(profile))
      await recordChange(tx, profile, { action: 'profile.pause', actor, now })
    }
    return current(tx, profile)
  })
}

/** Continues syncs where they stopped; endpoints that came due during the pause are read now. */
export async function resumeSync({ database, clock }: PauseDeps, profile: Profile, actor: string): Promise<Profile> {
  const now = clock.now()
  return database.transaction(async (tx) => {
    // Connecting until every endpoint has been read once.
    const endpoints = await listEndpoints(tx, keyOf(profile))
    const isRead = endpoints.every(({ firstDoneAt }) => firstDoneAt !== undefined)
    const state = await resumeProfile(tx, profile, isRead ? 'active' : 'connecting')
    if (state !== undefined) {
      if (state !== 'needs_auth') await resumeSchedule(tx, keyOf(profile), now)
      await recordChange(tx, profile, { action: 'profile.resume', actor, now })
    }
    return current(tx, profile)
  })
}

export function refuseIfPaused({ state }: Profile): void {
  if (state === 'paused') throw new ApiError('profile_paused')
}

function keyOf({ shard, id }: Profile) {
  return { shard, profileId: id }
}

async function current(tx: Queries, { shard, id }: Profile): Promise<Profile> {
  const profile = await findProfile(tx, shard, id)
  if (profile === undefined) throw new ApiError('no_profile')
  return profile
}

async function recordChange(
  tx: Queries,
  profile: Profile,
  { action, actor, now }: { action: string; actor: string; now: number },
): Promise<void> {
  await writeAudit(tx, {
    shard: profile.shard,
    at: now,
    actor,
    action,
    appId: profile.appId,
    accountId: profile.accountId,
    detail: { profile: profileName(profile) },
  })
  // Destinations store the state of a profile with its items.
  await markDeliveriesDue(tx, keyOf(profile), now)
}
