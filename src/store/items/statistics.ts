import { type Queries, statement } from '#platform/postgres/database.ts'
import { isSharded } from '../cluster/is-sharded.ts'

const findEstimate = statement(
  'item-known',
  `select reltuples::float8 as items from pg_class where oid = 'item'::regclass`,
)
const analyze = statement('item-analyze', 'analyze item')

/** Numbers of items at which the planner's statistics are refreshed. */
const THRESHOLDS = [500, 5000, 50_000, 500_000]

/**
 * PostgreSQL has no statistics of a new table, and every index looks as good to it as the right one. Autovacuum
 * collects them once a minute, or never where it is disabled. `before` and `after` are numbers of items that the writer
 * knows to exist. On a sharded server this would read all nodes each time, because their numbers are unknown here; every node
 * collects its own.
 */
export async function analyzeAtThresholds(queries: Queries, before: number, after: number): Promise<void> {
  const crossed = THRESHOLDS.find((count) => before < count && after >= count)
  if (crossed === undefined || (await isSharded(queries))) return
  const [row] = await queries.rows<{ items: number }>(findEstimate)
  if (row !== undefined && row.items < crossed) await queries.count(analyze)
}
