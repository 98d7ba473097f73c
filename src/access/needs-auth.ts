// Marks profiles whose person must sign in again.

import type { CalledProfile } from '#model/accounts/profile.ts'
import { profileName } from '#model/accounts/profile-name.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { writeAudit } from '#store/audit.ts'
import { setProfileState } from '#store/identity/profiles.ts'
import { markDeliveriesDue } from '#store/push/cursors.ts'
import { queueProfileEvent } from '#store/push/events.ts'
import type { UpstreamError } from '#upstream/request/errors.ts'

export interface NeedsAuthDeps {
  database: Database
  clock: Clock
  log: Log
}

/** Marks a profile whose person must sign in again. Logs and sends the event once, when the state changes. */
export async function markNeedsAuth(
  { database, clock, log }: NeedsAuthDeps,
  profile: CalledProfile,
  error: UpstreamError,
): Promise<void> {
  await database.transaction(async (tx) => {
    const changed = await setProfileState(tx, profile, {
      state: 'needs_auth',
      error: error.reason,
    })
    if (!changed) return
    log.warn('a profile needs a new sign-in', { service: profile.service, profile: profile.id, reason: error.reason })
    await writeAudit(tx, {
      shard: profile.shard,
      at: clock.now(),
      actor: 'service',
      action: 'profile.needs_auth',
      appId: profile.appId,
      accountId: profile.accountId,
      detail: { profile: profileName(profile), reason: error.reason },
    })
    await markDeliveriesDue(tx, { shard: profile.shard, profileId: profile.id }, clock.now())
    await queueProfileEvent(tx, profile, 'profile.needs_auth', clock.now(), { reason: error.reason })
  })
}
