import { codeOf } from '../errors.ts'
import { keysOf } from '../keys-of.ts'
import { type Queries, statement } from '../postgres/database.ts'
import { count, either, flag, payload, type ReadPayload, text } from './job-payloads.ts'

/** What the jobs of each queue carry. */
export interface JobPayloads {
  maintenance: object
  deliver: { destinationId: string; appId: string; isFailing: boolean; runs: number }
  sync: { shard: number; profileId: string }
  alone: JobPayloads['sync'] | { destinationId: string }
}

export type QueueName = keyof JobPayloads

const sync = payload({ shard: count, profileId: text })

/**
 * The queues there are. A job is a wake-up: it carries a key, and the work reads everything else from its row. A key is there
 * once, waiting or at work: with one more behind it, the engine would stumble over it whenever somebody takes from the queue.
 * `slots` is how many jobs one process has at work.
 */
export const QUEUES: { [Queue in QueueName]: { slots: number; read: ReadPayload<JobPayloads[Queue]> } } = {
  maintenance: { slots: 1, read: payload({}) },
  deliver: { slots: 24, read: payload({ destinationId: text, appId: text, isFailing: flag, runs: count }) },
  sync: { slots: 32, read: sync },
  /** What a worker died of, one at a time, so that only what is at fault is counted again. */
  alone: { slots: 1, read: either(sync, 'destinationId', payload({ destinationId: text })) },
}

/** Where the engine keeps jobs that nobody can run. No worker takes from it. */
export const DEAD_CHARS = 'dead_letter'

export interface QueueDepth {
  queue: QueueName
  ready: number
  active: number
  /** Age of the oldest job that waits for a worker. */
  oldestMs: number
  /** Jobs whose payload could not be read, of the last two weeks. */
  deadLetters: number
}

/** The job engine's own schema. */
export const ENGINE_SCHEMA = 'engine'

const jobs = `${ENGINE_SCHEMA}.job`
/** Written out, because the engine's type of states has an order of its own. */
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
  `select data ->> 'queue' as name, count(*)::int as n from ${jobs} where name = '${DEAD_CHARS}' group by 1`,
)
const forget = statement('queue-forget', `delete from ${jobs} where name = $1 and id = any($2::uuid[])`)

/** How many jobs wait, counted no further than `cap`. */
export async function jobsWaiting(queries: Queries, queue: QueueName, cap: number): Promise<number> {
  const [row] = await queries.rows<{ n: number }>(waiting, [queue, cap]).catch(noneYet)
  return row?.n ?? 0
}

/** For those that only ask and take no jobs. */
export async function queueDepths(queries: Queries): Promise<QueueDepth[]> {
  const rows = await queries
    .rows<{ name: string; ready: number; active: number; oldest_ms: number }>(depths)
    .catch(noneYet)
  const dead = await queries.rows<{ name: string; n: number }>(deadLetters).catch(noneYet)
  const found = new Map(rows.map((row) => [row.name, row]))
  const lost = new Map(dead.map(({ name, n }) => [name, n]))
  return keysOf(QUEUES).map((queue) => {
    const row = found.get(queue)
    return {
      queue,
      ready: row?.ready ?? 0,
      active: row?.active ?? 0,
      oldestMs: Math.max(0, Math.round(row?.oldest_ms ?? 0)),
      deadLetters: lost.get(queue) ?? 0,
    }
  })
}

/** Takes jobs off the books whose worker is dead: their keys can be woken again at once. */
export async function forgetJobs(queries: Queries, queue: QueueName, ids: string[]): Promise<void> {
  await queries.count(forget, [queue, ids])
}

/** The engine makes its tables when the first worker starts. */
function noneYet(error: unknown): never[] {
  if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return []
  throw error
}
