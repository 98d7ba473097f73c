import { codeOf } from '../errors.ts'
import { type Queries, statement } from '../postgres/database.ts'

/** The database schema of the job engine. */
export const ENGINE_SCHEMA = 'engine'

/** The queue of jobs whose payload cannot be read. No worker takes from it. */
export const DEAD_LETTERS = 'dead_letter'

/** What the jobs of a queue are called among the tables that are written. */
export const jobsOf = (queue: string): string => `jobs of ${queue}`

export interface QueueDepth<Queue extends string = string> {
  queue: Queue
  ready: number
  active: number
  /** Age of the oldest job that waits for a worker. */
  oldestMs: number
  /** Jobs whose payload could not be read, of the last two weeks. */
  deadLetters: number
}

const jobs = `${ENGINE_SCHEMA}.job`
/** Lists the states, because a comparison would depend on the order of the engine's enum. */
const isWaiting = `state in ('created', 'retry')`
const waiting = statement(
  'queue-waiting',
  `select count(*)::int as n from (select 1 from ${jobs} where name = $1 and ${isWaiting} limit $2) waiting`,
)
const depths = statement(
  'queue-depths',
  `select name, count(*) filter (where ${isWaiting})::int as ready, count(*) filter (where state = 'active')::int as active,
     coalesce(extract(epoch from now() - min(start_after) filter (where ${isWaiting})) * 1000, 0)::float as oldest_ms
   from ${jobs} where (${isWaiting} or state = 'active') and start_after <= now() group by name`,
)
const deadLetters = statement(
  'queue-dead-letters',
  `select data ->> 'queue' as name, count(*)::int as n from ${jobs} where name = '${DEAD_LETTERS}' group by 1`,
)
const forget = statement('queue-forget', `delete from ${jobs} where name = $1 and id = any($2::uuid[])`)

/** How many jobs wait, counted up to `max`. */
export async function countWaitingJobs(queries: Queries, queue: string, max: number): Promise<number> {
  const [row] = await queries.rows<{ n: number }>(waiting, [queue, max]).catch(emptyWithoutTables)
  return row?.n ?? 0
}

/** Needs no running engine, so processes that take no jobs can call it. */
export async function readQueueDepths<Queue extends string>(
  queries: Queries,
  queues: readonly Queue[],
): Promise<QueueDepth<Queue>[]> {
  const rows = await queries
    .rows<{ name: string; ready: number; active: number; oldest_ms: number }>(depths)
    .catch(emptyWithoutTables)
  const dead = await queries.rows<{ name: string; n: number }>(deadLetters).catch(emptyWithoutTables)
  const rowByQueue = new Map(rows.map((row) => [row.name, row]))
  const deadByQueue = new Map(dead.map(({ name, n }) => [name, n]))
  return queues.map((queue) => {
    const row = rowByQueue.get(queue)
    return {
      queue,
      ready: row?.ready ?? 0,
      active: row?.active ?? 0,
      oldestMs: Math.max(0, Math.round(row?.oldest_ms ?? 0)),
      deadLetters: deadByQueue.get(queue) ?? 0,
    }
  })
}

/** Deletes the jobs of a dead worker, so that their keys can be woken again at once. */
export async function deleteJobs(queries: Queries, queue: string, ids: string[]): Promise<void> {
  await queries.count(forget, [queue, ids])
}

/** The engine creates its tables when the first worker starts. */
function emptyWithoutTables(error: unknown): never[] {
  if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return []
  throw error
}
