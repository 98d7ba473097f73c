import { type Queries, statement } from '#platform/postgres/database.ts'

const known = statement('item-known', `select reltuples::float8 as items from pg_class where oid = 'item'::regclass`)
const analyze = statement('item-analyze', 'analyze item')

/** So many new items may be most of what there is. */
const THRESHOLDS = [500, 5000, 50_000, 500_000]

/**
 * Of a young table the database knows nothing, and every index looks as good as the right one; it would look by itself
 * once a minute, or never where somebody switched that off. `before` and `after` are how many items a writer knows to be there.
 */
export async function analyzeAtThresholds(queries: Queries, before: number, after: number): Promise<void> {
  const crossed = THRESHOLDS.find((count) => before < count && after >= count)
  if (crossed === undefined) return
  const [row] = await queries.rows<{ items: number }>(known)
  if (row !== undefined && row.items < crossed) await queries.count(analyze)
}
