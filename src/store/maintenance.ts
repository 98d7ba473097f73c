import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Position } from './delete-in-batches.ts'

/** What a task of maintenance did last. */
export interface TaskState {
  task: string
  startedAt: number
  succeededAt: number | undefined
  completedAt: number | undefined
  failedAt: number | undefined
  error: string | undefined
  fails: number
  done: number
  ms: number
  /** Whether a walk through a table is under way. */
  isUnderWay: boolean
}

/** A task that this process has now. */
export interface TaskLease {
  task: string
  token: string
}

// A lease that ends later than any process may have set it is of a clock that was wrong.
const lease = statement(
  'maintenance-lease',
  `insert into maintenance (task, lease_token, lease_until, started_at) values ($task, $token, $leaseUntil, $nowMs)
   on conflict (task) do update set lease_token = excluded.lease_token, lease_until = excluded.lease_until,
     started_at = excluded.started_at
   where maintenance.lease_until <= $nowMs or maintenance.lease_until > $leaseUntil
   returning position`,
)
const isOurs = 'task = $task and lease_token = $token'
const save = statement(
  'maintenance-save',
  `update maintenance set position = $position, lease_until = $leaseUntil where ${isOurs}`,
)
const succeed = statement(
  'maintenance-succeed',
  `update maintenance set position = $position, lease_token = null, lease_until = 0, succeeded_at = $nowMs,
     completed_at = case when $completed::boolean then $nowMs else completed_at end, fails = 0, error = null,
     done = $done, ms = $ms
   where ${isOurs}`,
)
const fail = statement(
  'maintenance-fail',
  `update maintenance set lease_token = null, lease_until = 0, failed_at = $nowMs, fails = fails + 1, error = $error,
     done = $done, ms = $ms
   where ${isOurs}`,
)
const list = statement(
  'maintenance-list',
  `select task, started_at, succeeded_at, completed_at, failed_at, error, fails, done, ms, position is not null as walking
   from maintenance order by task`,
)

/** Takes a task. Undefined: another process has it. */
export async function leaseTask(
  queries: Queries,
  { task, token }: TaskLease,
  nowMs: number,
  leaseUntil: number,
): Promise<{ position: Position | undefined } | undefined> {
  const [row] = await queries.rows<{ position: string | null }>(lease.with({ task, token, nowMs, leaseUntil }))
  if (row === undefined) return undefined
  return { position: row.position === null ? undefined : (JSON.parse(row.position) as Position) }
}

/** Keeps the task after a step. False: another process has it now. */
export async function saveTask(
  queries: Queries,
  { task, token }: TaskLease,
  position: Position | undefined,
  leaseUntil: number,
): Promise<boolean> {
  return (await queries.count(save.with({ task, token, position: textOf(position), leaseUntil }))) > 0
}

/** Ends a run that did not fail. `completed`: there was nothing left to do. */
export async function finishTask(
  queries: Queries,
  { task, token }: TaskLease,
  run: { position: Position | undefined; completed: boolean; done: number; ms: number; nowMs: number },
): Promise<void> {
  await queries.count(succeed.with({ ...run, task, token, position: textOf(run.position) }))
}

/** Ends a run that failed. The next one continues after the last step that was saved. */
export async function failTask(
  queries: Queries,
  { task, token }: TaskLease,
  run: { error: string; done: number; ms: number; nowMs: number },
): Promise<void> {
  await queries.count(fail.with({ task, token, ...run }))
}

interface Row {
  task: string
  started_at: number
  succeeded_at: number | null
  completed_at: number | null
  failed_at: number | null
  error: string | null
  fails: number
  done: number
  ms: number
  walking: boolean
}

/** Every task that ever ran, by name. */
export async function listTasks(queries: Queries): Promise<TaskState[]> {
  return (await queries.rows<Row>(list)).map((row) => ({
    task: row.task,
    startedAt: row.started_at,
    succeededAt: row.succeeded_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
    failedAt: row.failed_at ?? undefined,
    error: row.error ?? undefined,
    fails: row.fails,
    done: row.done,
    ms: row.ms,
    isUnderWay: row.walking,
  }))
}

function textOf(position: Position | undefined): string | null {
  return position === undefined ? null : JSON.stringify(position)
}
