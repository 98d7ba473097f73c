import type { Clock } from '#platform/clock.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { listTasks, type TaskState } from '#store/maintenance.ts'
import type { Diagnosis } from '../diagnosis.ts'
import { TASK_NAMES } from './task-names.ts'

/** A task that did not succeed for so long is shown as late: it runs every ten minutes. */
export const LATE_MS = 3_600_000

export interface ShownTask extends Omit<TaskState, 'startedAt'> {
  /** Undefined: it never ran. */
  startedAt: number | undefined
  isLate: boolean
}

/** Every task of this release, by name. */
export async function maintenanceStates(deps: { database: Queries; clock: Clock }): Promise<ShownTask[]> {
  const states = new Map((await listTasks(deps.database)).map((state) => [state.task, state]))
  const now = deps.clock.now()
  return TASK_NAMES.toSorted().map((task) => {
    const state = states.get(task)
    if (state === undefined) return { ...NEVER, task, isLate: false }
    // Since when it could have succeeded.
    const since = state.succeededAt ?? state.startedAt
    return { ...state, isLate: now - since > LATE_MS || (state.succeededAt === undefined && state.fails > 2) }
  })
}

const NEVER = {
  startedAt: undefined,
  succeededAt: undefined,
  completedAt: undefined,
  failedAt: undefined,
  error: undefined,
  fails: 0,
  done: 0,
  ms: 0,
  isUnderWay: false,
}

/** For `doctor`. */
export async function checkMaintenance(database: Queries, clock: Clock): Promise<Diagnosis> {
  const tasks = await maintenanceStates({ database, clock })
  const ran = tasks.filter(({ startedAt }) => startedAt !== undefined)
  const late = ran.filter(({ isLate }) => isLate)
  const name = 'maintenance'
  if (ran.length === 0) return { name, state: 'ok', detail: 'it has not run yet' }
  const [first] = late
  if (first === undefined) return { name, state: 'ok', detail: `${ran.length} tasks, each succeeded within the hour` }
  const last = first.succeededAt === undefined ? 'never' : `last ${new Date(first.succeededAt).toISOString()}`
  const others = late.length === 1 ? '' : `, and ${late.length - 1} more`
  const isAll = late.length === ran.length
  return {
    name,
    state: 'warn',
    detail: `${first.task} does not succeed (${last})${others}${first.error === undefined ? '' : `: ${first.error}`}`,
    help: isAll
      ? 'Start a server with workers: it runs every ten minutes.'
      : 'Look for “a task of maintenance failed” in the log; the other tasks go on.',
  }
}
