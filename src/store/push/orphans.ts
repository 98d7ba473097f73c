import { type Queries, statement } from '#platform/postgres/database.ts'
import type { Batch, Position } from '../delete-in-batches.ts'
import { dropRecordedItems } from './delivered-items.ts'
import { dropDeadLetters } from './deliveries.ts'
import { removeCursors } from './destination-cursors.ts'

// A destination takes its rows along when it is deleted. What is left belongs to one that was deleted with its app, or while a
// run was writing. Destinations are few, and each table has an index that begins with them: a step asks it for the next one.
const isKnown = 'exists (select 1 from destination d where d.id = t.destination_id) as known'
const nextWithCursors = statement(
  'orphan-cursors',
  `select t.destination_id, ${isKnown} from delivery_cursor t where t.destination_id > $after
   order by t.destination_id limit 1`,
)
const nextWithDeadLetters = statement(
  'orphan-dead-letters',
  `select t.destination_id, ${isKnown} from dead_letter t where t.destination_id > $after
   order by t.destination_id limit 1`,
)
const nextWithItems = statement(
  'orphan-delivered-items',
  `select t.destination_id, ${isKnown} from delivered_item t where t.destination_id > $after
   order by t.destination_id limit 1`,
)

type Remove = (queries: Queries, destinationId: string) => Promise<number>

/** Removes the rows of the next destination if it does not exist any more. */
const removerOf =
  (next: typeof nextWithCursors, remove: Remove) =>
  async (queries: Queries, [after = '']: Position = []): Promise<Batch> => {
    const [found] = await queries.rows<{ destination_id: string; known: boolean }>(next.with({ after }))
    if (found === undefined) return { done: 0, more: false }
    const { destination_id: destinationId, known } = found
    return { done: known ? 0 : await remove(queries, destinationId), more: true, position: [destinationId] }
  }

export const removeOrphanCursors = removerOf(nextWithCursors, removeCursors)
export const removeOrphanDeadLetters = removerOf(nextWithDeadLetters, dropDeadLetters)
export const removeOrphanDeliveredItems = removerOf(nextWithItems, dropRecordedItems)
