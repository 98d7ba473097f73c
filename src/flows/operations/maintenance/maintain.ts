import type { IdentityDeps } from '#identity/deps.ts'
import { PURGES, type PurgeDeps } from './purges.ts'
import { type MaintenanceTask, runTasks } from './run-tasks.ts'
import { SIGN_IN_TASKS } from './sign-in-tasks.ts'

type MaintenanceDeps = PurgeDeps & IdentityDeps

/** Runs every few minutes; a missed or repeated run is harmless. `others`: the tasks of other flows. */
export async function maintain<Deps extends MaintenanceDeps>(
  deps: Deps,
  others: readonly MaintenanceTask<Deps>[],
): Promise<void> {
  const runs = await runTasks(deps, [...PURGES, ...SIGN_IN_TASKS, ...others])
  const done = Object.fromEntries(runs.filter((run) => run.done > 0).map((run) => [run.task, run.done]))
  deps.log.debug('maintenance done', { done, failed: runs.filter(({ end }) => end === 'failed').length })
}
