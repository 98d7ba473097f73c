import { personBucket } from '#access/buckets.ts'
import type { Registry } from '#kit/connector/registry.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { listAppProfiles } from '#store/identity/profiles.ts'
import { resetEndpoints } from '#store/sync/endpoint-requests.ts'
import { forgetRateLimit } from '#store/sync/rate-limits.ts'
import { revokeProfileLease } from '#store/sync/schedule.ts'
import { isDemoService } from './demo-services.ts'

/**
 * Forgets what a throttled demo service said about its limit. A real service's limit refills evenly, over minutes; who ends the
 * throttling in the demo wants to see the sync go on.
 */
export async function forgetThrottling(
  { database, registry }: { database: Database; registry: Registry },
  { appId, service, id: profileId }: Profile,
): Promise<void> {
  const connector = registry.find(service)
  if (connector !== undefined) await forgetRateLimit(database, personBucket({ appId, connector, profileId }))
}

/** Limit: profiles of the demo's app that are read again after a move. */
const MAX_MOVED_PROFILES = 300

/**
 * Reads everything of the demo services again: the demo has another address than at its last start, and links and pictures in stored
 * items have the old one.
 */
export async function readMovedDemoAgain(
  { database, clock }: { database: Database; clock: Clock },
  appId: string,
): Promise<void> {
  for (const profile of await listAppProfiles(database, appId, undefined, MAX_MOVED_PROFILES)) {
    if (!isDemoService(profile.service)) continue
    const key = { shard: profile.shard, profileId: profile.id }
    await database.transaction(async (tx) => {
      await revokeProfileLease(tx, key, clock.now())
      await resetEndpoints(tx, key, clock.now())
    })
  }
}
