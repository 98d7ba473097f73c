import { type Queries, statement } from '#platform/postgres/database.ts'

// Natively partitioned tables count too: tests use them in place of a sharded server.
const find = statement(
  'server-is-sharded',
  `select exists (select 1 from pg_extension where extname = 'citus')
     or exists (select 1 from pg_class where oid = to_regclass('item') and relkind = 'p') as sharded`,
)
const known = new WeakMap<Queries, Promise<boolean>>()

/**
 * Whether the rows of a table are divided. Then a lease cannot lock rows of several shards in one statement: candidates are
 * found without a lock, and each is taken in its own shard. Looked up once per database, at the first use: a process must
 * be started again after the tables were distributed.
 */
export function isSharded(queries: Queries): Promise<boolean> {
  const before = known.get(queries)
  if (before !== undefined) return before
  const looked = queries.rows<{ sharded: boolean }>(find).then(([row]) => row?.sharded === true)
  known.set(queries, looked)
  // The caller gets the error; the next one looks again.
  looked.catch(() => known.delete(queries))
  return looked
}
