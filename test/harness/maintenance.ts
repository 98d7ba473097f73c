import assert from 'node:assert/strict'
import { PURGES, type PurgeDeps, type PurgeName } from '#flows/operations/maintenance/purges.ts'
import { type MaintenanceTask, type RunnerDeps, runTask } from '#flows/operations/maintenance/run-tasks.ts'
import { SIGN_IN_TASKS } from '#flows/operations/maintenance/sign-in-tasks.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { until } from './until.ts'

const systemClock = { now: () => Date.now() }
const silent = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })

/** Runs tasks of maintenance one after another, each without a failure. Returns what each did, by its name. */
export async function runEach<Deps extends RunnerDeps>(
  deps: Deps,
  tasks: readonly MaintenanceTask<Deps>[],
): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  for (const task of tasks) {
    const run = await until(
      `no other process runs ${task.name}`,
      () => runTask(deps, task),
      ({ end }) => end !== 'leased',
    )
    assert.equal(run.end, 'succeeded', task.name)
    done[task.name] = run.done
  }
  return done
}

/** Runs every task that deletes or corrects something. */
export async function purgeExpired(deps: Omit<PurgeDeps, 'log'>): Promise<Record<PurgeName, number>> {
  return await runEach({ log: silent, ...deps }, PURGES)
}

/** Runs every task about sign-ins. */
export async function expireSignIns(deps: IdentityDeps): Promise<{ pending: number; consents: number }> {
  const done = await runEach(deps, SIGN_IN_TASKS)
  return { pending: done['pending_sign_ins']!, consents: done['unused_codes']! }
}
