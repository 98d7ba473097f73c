import type { ProfileKey } from '#store/keys/profile-key.ts'
import { holdProfile } from '#store/sync/schedule.ts'
import { leaseEnd, type SyncDeps, timesOf } from '../deps.ts'

/** The exclusive right of one run to sync one profile. */
export interface KeptProfile {
  /** Aborts when another run has the lease. */
  lost: AbortSignal
  /** Stops the heartbeat. */
  stop: () => void
}

/** Extends the lease while the run lives, however slow the service is. A run that ends before a third of its lease sends nothing. */
export function keepProfile(deps: SyncDeps, key: ProfileKey, token: string): KeptProfile {
  const lost = new AbortController()
  const beat = async () => {
    try {
      if ((await holdProfile(deps.database, key, token, leaseEnd(deps), 0)) === undefined) lost.abort()
    } catch (error) {
      // It says nothing about the lease; every write of the run proves it anyway.
      deps.log.warn('the heartbeat of a sync failed', { profile: key.profileId, error })
    }
  }
  const timer = setInterval(() => void beat(), timesOf(deps).leaseMs / 3).unref()
  return { lost: lost.signal, stop: () => clearInterval(timer) }
}
