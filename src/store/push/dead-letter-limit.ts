import { type Database, statement } from '#platform/postgres/database.ts'
import { type Batch, deleteBatch, deleteSome, type Position } from '../delete-in-batches.ts'

/** Limit (push): dead letters of a destination; of further ones the oldest are dropped, and counted. */
export const MAX_DEAD_LETTERS = 100_000

const findNext = statement('dead-limit-next', 'select id from destination where id > $after order by id limit 1')
const findNewestToDrop = statement(
  'dead-limit-end',
  'select at from dead_letter where destination_id = $destinationId order by at desc offset $kept limit 1',
)
const drop = statement(
  'dead-limit-drop',
  deleteSome('dead_letter', 'shard, profile_id, item_id', 'destination_id = $destinationId and at <= $endMs'),
)
const count = statement(
  'dead-limit-count',
  'update destination set dead_dropped = dead_dropped + $dropped where id = $destinationId',
)

/** Drops some of the oldest dead letters of the next destination that has too many. */
export async function limitDeadLetters(
  database: Database,
  position: Position = [],
  kept = MAX_DEAD_LETTERS,
): Promise<Batch> {
  const [after = ''] = position
  const [next] = await database.rows<{ id: string }>(findNext.with({ after }))
  if (next === undefined) return { done: 0, more: false }
  const destinationId = next.id
  const done = { done: 0, more: true, position: [destinationId] }
  const [end] = await database.rows<{ at: number }>(findNewestToDrop.with({ destinationId, kept }))
  if (end === undefined) return done
  // Together, so that what is dropped is counted once, whenever the process is killed.
  const dropped = await database.transaction(async (tx) => {
    // Before the rows of many shards: a sharded server refuses to write to a table of all nodes after it deleted on many at once.
    await tx.count(count.with({ destinationId, dropped: 0 }))
    const batch = await deleteBatch(tx, drop.with({ destinationId, endMs: end.at }))
    await tx.count(count.with({ destinationId, dropped: batch.done }))
    return batch
  })
  return { ...done, done: dropped.done, position: dropped.more ? position : done.position }
}
