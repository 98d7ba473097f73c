import { maintain } from '#flows/operations/maintenance/maintain.ts'
import type { MaintenanceTask } from '#flows/operations/maintenance/run-tasks.ts'
import { APP_WAKES } from '#flows/operations/maintenance/task-names.ts'
import type { SyncDeps } from '#flows/sync/deps.ts'
import { continueAppWakes } from '#flows/sync/schedule/wake-app.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { MAINTENANCE } from '#model/maintenance.ts'
import type { RunSlots } from '#platform/waiting/run-slots.ts'
import { takeNamedLease } from '#store/named-leases.ts'

/** Once in this time, over all processes. Each task has its own lease, so that one that takes longer is not run twice. */
const EVERY_MS = 10 * 60_000
const OTHERS: readonly MaintenanceTask<IdentityDeps & SyncDeps>[] = [
  { name: APP_WAKES, run: async (deps) => ({ done: await continueAppWakes(deps), more: false }) },
]

/** Begins maintenance in the slot, if no process did in the last ten minutes. Returns how much was begun. */
export async function startMaintenance(deps: IdentityDeps & SyncDeps, slot: RunSlots): Promise<number> {
  if (slot.free() === 0) return 0
  const nowMs = deps.clock.now()
  const lease = await takeNamedLease(deps.database, MAINTENANCE, nowMs, nowMs + EVERY_MS)
  if (lease === undefined) return 0
  slot.start(MAINTENANCE, () =>
    maintain(deps, OTHERS).catch((error: unknown) => {
      deps.log.error('maintenance failed; it begins again in ten minutes', { error })
    }),
  )
  return 1
}
