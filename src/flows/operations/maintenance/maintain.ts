import { continueAppWakes } from '#flows/sync/schedule/wake-app.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { PURGES, type PurgeDeps } from './purges.ts'
import { type MaintenanceTask, runTasks } from './run-tasks.ts'
import { SIGN_IN_TASKS } from './sign-in-tasks.ts'
import { APP_WAKES } from './task-names.ts'

type MaintenanceDeps = PurgeDeps & IdentityDeps

const OTHERS: readonly MaintenanceTask<MaintenanceDeps>[] = [
  { name: APP_WAKES, run: async (deps) => ({ done: await continueAppWakes(deps), more: false }) },
]

const TASKS: readonly MaintenanceTask<MaintenanceDeps>[] = [...PURGES, ...SIGN_IN_TASKS, ...OTHERS]

/** Runs every few minutes; a missed or repeated run is harmless. */
export async function maintain(deps: MaintenanceDeps): Promise<void> {
  const runs = await runTasks(deps, TASKS)
  const done = Object.fromEntries(runs.filter((run) => run.done > 0).map((run) => [run.task, run.done]))
  deps.log.debug('maintenance done', { done, failed: runs.filter(({ end }) => end === 'failed').length })
}
