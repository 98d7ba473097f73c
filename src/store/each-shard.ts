import type { Queries, Statement } from '#platform/postgres/database.ts'

/**
 * Rows of several shards, one statement per shard, in the order of the shards. An account has profiles in several shards only
 * after a merge; usually this is one statement.
 */
export async function rowsOfShards<Row extends object>(
  queries: Queries,
  shards: readonly number[],
  statementFor: (shard: number) => Statement,
): Promise<Row[]> {
  const [first, ...others] = shards
  if (first === undefined) return []
  const rows = await queries.rows<Row>(statementFor(first))
  if (others.length === 0) return rows
  return [rows, ...(await Promise.all(others.map((shard) => queries.rows<Row>(statementFor(shard)))))].flat()
}

/** The number of rows that were changed in several shards, one statement per shard. */
export async function countInShards(
  queries: Queries,
  shards: readonly number[],
  statementFor: (shard: number) => Statement,
): Promise<number> {
  let count = 0
  for (const shard of shards) count += await queries.count(statementFor(shard))
  return count
}
