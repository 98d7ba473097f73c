import { randomUUID } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import { reasonOf } from '#platform/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { createSemaphore } from '#platform/waiting/semaphore.ts'
import type { Batch, Position } from '#store/delete-in-batches.ts'
import { failTask, finishTask, leaseTask, listTasks, saveTask, type TaskLease } from '#store/maintenance.ts'

/** Something that is done every few minutes, in steps that can be repeated. */
export interface MaintenanceTask<Deps> {
  /** The key of its row. A task whose positions mean something else than before gets another name. */
  name: string
  /** Does a step. `position`: where the last one ended; undefined: at the beginning. */
  run: (deps: Deps, position: Position | undefined) => Promise<Batch>
  /** Steps of one run, where each costs more than others. */
  maxSteps?: number
}

export interface RunnerDeps {
  database: Database
  clock: Clock
  log: Log
}

/** What a run of a task did; `leased`: another process had it. */
export interface TaskRun {
  task: string
  end: 'succeeded' | 'failed' | 'leased'
  done: number
}

/** Limit: tasks of maintenance at once in a process. While a statement of one hangs, the others go on. */
const MAX_AT_ONCE = 2
/** Limit: milliseconds of a run of a task of maintenance; after the step that is under way, the next run continues. */
const MAX_RUN_MS = 60_000
/** Limit: steps of a run of a task of maintenance; the next run continues. */
const MAX_STEPS = 200
/** Longer than a step, whose statements are ended after two minutes. Each step extends it. */
const LEASE_MS = 5 * 60_000

/** Runs every task that no other process runs. None keeps another from running: those that ran longest ago are the first. */
export async function runTasks<Deps extends RunnerDeps>(
  deps: Deps,
  tasks: readonly MaintenanceTask<Deps>[],
): Promise<TaskRun[]> {
  const startedAt = new Map((await listTasks(deps.database)).map((state) => [state.task, state.startedAt]))
  const ordered = tasks.toSorted((a, b) => (startedAt.get(a.name) ?? 0) - (startedAt.get(b.name) ?? 0))
  const semaphore = createSemaphore(MAX_AT_ONCE)
  return Promise.all(ordered.map((task) => semaphore.run(() => runTask(deps, task))))
}

export async function runTask<Deps extends RunnerDeps>(deps: Deps, task: MaintenanceTask<Deps>): Promise<TaskRun> {
  const { database, clock, log } = deps
  const lease: TaskLease = { task: task.name, token: randomUUID() }
  const startedAt = clock.now()
  let done = 0
  try {
    const taken = await leaseTask(database, lease, startedAt, startedAt + LEASE_MS)
    if (taken === undefined) return { task: task.name, end: 'leased', done }
    let { position } = taken
    for (let steps = 1; ; steps += 1) {
      const batch = await task.run(deps, position)
      done += batch.done
      position = batch.more ? batch.position : undefined
      const now = clock.now()
      if (!batch.more || steps >= (task.maxSteps ?? MAX_STEPS) || now - startedAt >= MAX_RUN_MS) {
        const run = { position, completed: !batch.more, done, ms: now - startedAt, nowMs: now }
        await finishTask(database, lease, run)
        return { task: task.name, end: 'succeeded', done }
      }
      if (!(await saveTask(database, lease, position, now + LEASE_MS))) return { task: task.name, end: 'leased', done }
    }
  } catch (error) {
    log.warn('a task of maintenance failed', { task: task.name, error })
    const now = clock.now()
    const run = { error: reasonOf(error), done, ms: now - startedAt, nowMs: now }
    // Without a database it cannot be stored either; then its last success says enough.
    await failTask(database, lease, run).catch(() => {})
    return { task: task.name, end: 'failed', done }
  }
}
