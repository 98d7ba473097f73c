import type { Queries, Statement } from '#platform/postgres/database.ts'

/** Rows that one statement deletes, so that none locks many rows for long, in whichever shards they are. */
const BATCH = 5000
/** How many rows precede the last one of a batch. */
const LAST = 4999

/**
 * SQL that deletes the first rows that meet a condition, in the order of `key`: columns that tell these rows apart. Where no row is
 * beyond the batch, the comparison is null, and all are deleted. It is not a join with the first rows: a plan that was made while
 * the table was empty would compare each row with each.
 */
export const deleteSome = <const Table extends string, const Key extends string, const Condition extends string>(
  table: Table,
  key: Key,
  condition: Condition,
) =>
  `delete from ${table} where ${condition} and ((${key}) <= (select ${key} from ${table} where ${condition}
   order by ${key} offset ${LAST} limit 1)) is not false` as const

/** Repeats a statement of `deleteSome` until no row is left. Returns how many were deleted; after a crash the next call continues. */
export async function deleteInBatches(queries: Queries, some: Statement): Promise<number> {
  for (let total = 0; ; ) {
    const count = await queries.count(some)
    total += count
    if (count < BATCH) return total
  }
}
