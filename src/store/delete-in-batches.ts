import type { Queries, Statement } from '#platform/postgres/database.ts'

/** Rows that one statement deletes, so that none locks many rows for long, in whichever shards they are. */
const BATCH = 5000

/** SQL that deletes some of the rows that meet a condition; `key` are the columns of the primary key. */
export const deleteSome = <const Table extends string, const Key extends string, const Condition extends string>(
  table: Table,
  key: Key,
  condition: Condition,
) =>
  `delete from ${table} where ${condition} and (${key}) in (select ${key} from ${table} where ${condition} limit ${BATCH})` as const

/** Repeats a statement of `deleteSome` until no row is left. Returns how many were deleted; after a crash the next call continues. */
export async function deleteInBatches(queries: Queries, some: Statement): Promise<number> {
  for (let total = 0; ; ) {
    const count = await queries.count(some)
    total += count
    if (count < BATCH) return total
  }
}
