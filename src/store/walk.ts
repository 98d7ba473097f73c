import type { Queries, Statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from './delete-in-batches.ts'

/** Rows of a table that one step of a walk looks at. */
export const WALK_BATCH = 2000

/**
 * One step of a walk through a table that has no index for what is looked for: it finds where the step ends in the order of the
 * primary key, then works on the rows up to there. `list` returns at most `WALK_BATCH` keys.
 */
export async function walkBatch<Key extends object>(
  queries: Queries,
  list: Statement,
  work: (last: Key) => Promise<number>,
  positionOf: (last: Key) => Position,
): Promise<Batch> {
  const keys = await queries.rows<Key>(list)
  const last = keys.at(-1)
  if (last === undefined) return { done: 0, more: false }
  const done = await work(last)
  return keys.length < WALK_BATCH ? { done, more: false } : { done, more: true, position: positionOf(last) }
}
