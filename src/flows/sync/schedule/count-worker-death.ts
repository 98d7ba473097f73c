import { ALONE_MS, deathMessage, MAX_DEATHS, type WorkerDeath } from '#model/sync/deaths.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { countEndpointDeath, runProfileAlone } from '#store/sync/deaths.ts'
import { type SyncDeps, timesOf } from '../deps.ts'

/**
 * Reschedules a profile whose worker died. The endpoint that it was reading is tried again later, alone in a process;
 * when that process dies too, the endpoint is parked and the profile's other endpoints continue.
 */
export async function countSyncDeath(
  deps: Pick<SyncDeps, 'database' | 'clock' | 'log' | 'times'>,
  key: ProfileKey,
  endpoint: string | undefined,
  death: WorkerDeath,
): Promise<void> {
  const nowMs = deps.clock.now()
  const { afterDeathMs } = timesOf(deps)
  const deaths = await deps.database.transaction(async (tx) => {
    const counted =
      endpoint === undefined
        ? undefined
        : await countEndpointDeath(tx, key, endpoint, {
            nowMs,
            nextRunAt: nowMs + afterDeathMs,
            error: deathMessage(death),
            alone: death.alone,
          })
    await runProfileAlone(tx, key, { aloneUntil: nowMs + ALONE_MS, nextRunAt: nowMs + afterDeathMs })
    return counted
  })
  const detail = { profile: key.profileId, endpoint, reason: death.reason, deaths }
  if (deaths === MAX_DEATHS)
    deps.log.error('an endpoint of a profile is parked: every worker that read it died', detail)
  else deps.log.warn('a worker died during a sync; the profile runs alone next', detail)
}
