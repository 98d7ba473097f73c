import { type Queries, statement } from './database.ts'

const known = statement('item-known', `select reltuples::float8 as items from pg_class where oid = 'item'::regclass`)
const analyze = statement('item-analyze', 'analyze item')

/**
 * Of a young table the database knows nothing, and every index looks as good as the right one; it would look by itself
 * once a minute. `atLeast` is how many items somebody knows to be there.
 */
export async function refreshStatistics(queries: Queries, atLeast: number): Promise<void> {
  const [row] = await queries.rows<{ items: number }>(known)
  if (row !== undefined && row.items < atLeast) await queries.count(analyze)
}
