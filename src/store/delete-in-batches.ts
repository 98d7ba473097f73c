import type { Queries, Statement } from '#platform/postgres/database.ts'

/** Rows that one statement deletes, so that none locks many rows for long, in whichever shards they are. */
const BATCH = 5000
/** How many rows precede the last one of a batch. */
const LAST = 4999

/** Where a walk through a table continues: the key of the last row that it has seen. */
export type Position = readonly (string | number)[]

/** A part of a task that changes many rows. */
export interface Batch {
  /** Rows that were changed. */
  done: number
  /** Whether another batch should follow. */
  more: boolean
  /** Where that one continues; absent: it begins anew, because what was done is not found again. */
  position?: Position | undefined
}

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

/** Executes a statement of `deleteSome` once. */
export async function deleteBatch(queries: Queries, some: Statement): Promise<Batch> {
  const done = await queries.count(some)
  return { done, more: done >= BATCH }
}

/** Repeats a statement of `deleteSome` until no row is left. Returns how many were deleted; after a crash the next call continues. */
export async function deleteInBatches(queries: Queries, some: Statement): Promise<number> {
  for (let total = 0; ; ) {
    const { done, more } = await deleteBatch(queries, some)
    total += done
    if (!more) return total
  }
}
