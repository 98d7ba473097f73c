import { anchorOf, type ComparedTable, compareTables, FIRST_TABLE, isByShard } from './compare-tables.ts'
import type { Placement } from './placement.ts'
import type { FoundTable } from './read-cluster.ts'

/**
 * The statements that place the tables that are still on the coordinator only, in an order that works; none when all are
 * placed. Each is a transaction of its own and does nothing that a repeated plan would not continue.
 */
export function placementSql(
  tables: readonly FoundTable[],
  options: { shardCount?: number | undefined } = {},
): string[] {
  const compared = compareTables(tables)
  const anchor = anchorOf(tables)?.name ?? FIRST_TABLE
  return compared
    .toSorted((a, b) => orderOf(a, anchor) - orderOf(b, anchor))
    .flatMap(({ table, state, expected, hasLocalRows }) => [
      ...(state === 'apart' ? joinTable(table, expected) : []),
      ...(state === 'unplaced' ? placeTable(table, expected!, { anchor, ...options }) : []),
      ...(hasLocalRows && (state === 'unplaced' || state === 'leftover') ? [truncateLocalRows(table)] : []),
    ])
}

/**
 * Reference tables first, because foreign keys point to them, and `app` before the others of them, which point to it; then the table
 * that the others are colocated with.
 */
function orderOf({ table, expected }: ComparedTable, anchor: string): number {
  if (expected === 'reference') return table === 'app' ? -1 : 0
  return table === anchor ? 1 : 2
}

/** One statement that places one table; none for a table of the coordinator. */
export function placeTable(
  table: string,
  placement: Placement,
  { anchor, shardCount }: { anchor: string; shardCount?: number | undefined },
): string[] {
  if (placement === 'local') return []
  if (placement === 'reference') return [`select create_reference_table('${table}')`]
  if (isByShard(placement) && table !== anchor)
    return [`select create_distributed_table('${table}', 'shard', colocate_with => '${anchor}')`]
  if (placement.with !== undefined)
    return [`select create_distributed_table('${table}', '${placement.by}', colocate_with => '${placement.with}')`]
  const count = shardCount === undefined ? '' : `, shard_count => ${shardCount}`
  return [`select create_distributed_table('${table}', '${placement.by}', colocate_with => 'none'${count})`]
}

/** Changes the metadata only, because equal numbers of shards are on equal nodes until somebody moves one. */
function joinTable(table: string, placement: Placement | undefined): string[] {
  if (typeof placement !== 'object' || placement.with === undefined) return []
  return [`select update_distributed_table_colocation('${table}', colocate_with => '${placement.with}')`]
}

/** The rows were copied to the shards; those in the coordinator's storage are no longer read, but take space. */
const truncateLocalRows = (table: string): string => `select truncate_local_data_after_distributing_table('${table}')`
