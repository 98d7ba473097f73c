import type { SyncDeps } from '#flows/sync/deps.ts'
import type { SyncRuns } from '#flows/sync/plan/plan.ts'
import type { RunCounts } from '#flows/sync/run/run-counts.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import { newId } from '#platform/crypto/ids.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import { type Tracer, traced } from '#platform/telemetry/trace.ts'
import type { RunSlots } from '#platform/waiting/run-slots.ts'
import type { ProfileKey } from '#store/keys/profile-key.ts'
import { giveBackProfile } from '#store/sync/schedule.ts'

/** Wait after the first run of a profile that ended with a bug or without a database; each further one doubles it. */
const FIRST_WAIT_MS = 1000
/** Limit: wait after a run that ended with a bug or without a database. */
const MAX_WAIT_MS = 10 * 60_000
/** Limit: profiles whose failed runs a process remembers; the wait of further ones does not grow. */
const MAX_FAILED = 10_000

export interface RunsDeps {
  deps: SyncDeps & { syncRuns: RunCounts; tracer?: Tracer | undefined }
  ledger: JobLedger
}

/** Runs leased profiles in the slots of this process. */
export function createSyncRuns({ deps, ledger }: RunsDeps, slots: RunSlots, alone: boolean) {
  const tokens = new Map<string, { key: ProfileKey; token: string }>()
  const failures = new Map<string, number>()

  const giveBack = (key: ProfileKey, token: string, waitMs: number) =>
    giveBackProfile(deps.database, key, token, deps.clock.now() + waitMs).catch((error: unknown) => {
      // Its lease ends by itself.
      deps.log.warn('a profile could not be given back', { profile: key.profileId, error })
    })
  const run = async (key: ProfileKey, token: string, signal: AbortSignal): Promise<void> => {
    const { profileId } = key
    const subject: JobSubject = { kind: 'profile', ...key }
    try {
      const end = await ledger.track(subject, (step) =>
        traced(deps.tracer, 'sync', 'internal', { 'tributary.profile': profileId }, () =>
          runProfile(deps, key, { signal, alone, step, token }),
        ),
      )
      deps.syncRuns[end] += 1
      failures.delete(profileId)
    } catch (error) {
      // Only bugs and an unreachable database throw here; the failure of a service is a result of the run.
      deps.syncRuns.failed += 1
      const failed = failures.get(profileId) ?? 0
      if (failures.size < MAX_FAILED) failures.set(profileId, failed + 1)
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failed)
      deps.log.error('a sync failed and will be tried again', { profile: profileId, waitMs, error })
      await giveBack(key, token, waitMs)
    } finally {
      tokens.delete(profileId)
    }
  }
  const runs: SyncRuns = {
    free: slots.free,
    isRunning: slots.isRunning,
    start: ({ shard, profileId }) => {
      const [key, token] = [{ shard, profileId }, newId(deps.clock.now())]
      tokens.set(profileId, { key, token })
      slots.start(profileId, (signal) => run(key, token, signal))
    },
  }
  return {
    runs,
    /** What does not end within the time is given to other processes at once; its writes fail from then on. */
    drain: async (graceMs: number): Promise<void> => {
      for (const profileId of await slots.drain(graceMs)) {
        const left = tokens.get(profileId)
        if (left !== undefined) await giveBack(left.key, left.token, 0)
      }
    },
  }
}
