import { purgeExpired } from '#flows/operations/purge-expired.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { continueAppWakes } from '#flows/sync/schedule/wake-app.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { expireSignIns } from '#identity/expire-sign-ins.ts'
import { MAINTENANCE } from '#model/maintenance.ts'
import type { RunSlots } from '#platform/waiting/run-slots.ts'
import { extendNamedLease, takeNamedLease } from '#store/named-leases.ts'

/** Once in this time, over all processes; also how long a process that was killed meanwhile delays it. */
const EVERY_MS = 10 * 60_000

/** Begins maintenance in the slot, if no process did in the last ten minutes. Returns how much was begun. */
export async function startMaintenance(deps: IdentityDeps & SyncDeps, slot: RunSlots): Promise<number> {
  if (slot.free() === 0) return 0
  const { clock, database, log } = deps
  const nowMs = clock.now()
  const lease = await takeNamedLease(database, MAINTENANCE, nowMs, nowMs + EVERY_MS)
  if (lease === undefined) return 0
  slot.start(MAINTENANCE, async () => {
    // While it takes longer, no other process begins.
    const timer = setInterval(() => {
      extendNamedLease(database, lease, clock.now() + EVERY_MS).catch((error: unknown) => {
        log.warn('the lease of maintenance could not be extended', { error })
      })
    }, EVERY_MS / 3)
    try {
      const removed = {
        ...(await purgeExpired(deps)),
        ...(await expireSignIns(deps)),
        woken: await continueAppWakes(deps),
      }
      log.debug('maintenance done', removed)
    } catch (error) {
      log.error('maintenance failed and will be tried again', { error })
    } finally {
      clearInterval(timer)
    }
  })
  return 1
}
