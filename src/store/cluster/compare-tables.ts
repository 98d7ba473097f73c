import { PLACEMENTS, type Placement } from './placement.ts'
import type { FoundTable } from './read-cluster.ts'

/**
 * `unplaced`: still on the coordinator only, to be distributed. `misplaced`: distributed otherwise than expected. `absent`: the
 * schema has no such table. `unknown`: not a table of Tributary. `leftover`: placed, with its old rows still in the
 * coordinator's storage. `apart`: placed, but the rebalancer may separate it from the table that it is written with.
 */
export type TableState = 'placed' | 'leftover' | 'apart' | 'unplaced' | 'misplaced' | 'absent' | 'unknown'

export interface ComparedTable {
  table: string
  state: TableState
  expected: Placement | undefined
  found: Placement | undefined
  /** Why it is misplaced. */
  reason?: string
  /** Whether the coordinator's own storage of it has rows. */
  hasLocalRows: boolean
}

/** The table that all tables with a shard are colocated with; the first one that is distributed, normally `account`. */
export function anchorOf(tables: readonly FoundTable[]): FoundTable | undefined {
  const placed = tables.filter(({ name, placement }) => isByShard(PLACEMENTS.get(name)) && isByShard(placement))
  return placed.find(({ name }) => name === FIRST_TABLE) ?? placed[0]
}

/** Distributed first. */
export const FIRST_TABLE = 'account'

/** Every table of the schema and every expected one, with what is wrong. */
export function compareTables(tables: readonly FoundTable[]): ComparedTable[] {
  const found = new Map(tables.map((each) => [each.name, each]))
  const anchor = anchorOf(tables)
  const names = [...new Set([...PLACEMENTS.keys(), ...found.keys()])].sort()
  return names.map((table) => compareTable(table, PLACEMENTS.get(table), found, anchor))
}

function compareTable(
  table: string,
  expected: Placement | undefined,
  tables: ReadonlyMap<string, FoundTable>,
  anchor: FoundTable | undefined,
): ComparedTable {
  const found = tables.get(table)
  const hasLocalRows = found !== undefined && found.localBytes > 0
  const compared = { table, expected, found: found?.placement, hasLocalRows }
  if (expected === undefined) return { ...compared, state: 'unknown' }
  if (found === undefined) return { ...compared, state: 'absent' }
  if (describe(expected) !== describe(found.placement)) {
    if (found.placement === 'local') return { ...compared, state: 'unplaced' }
    const reason = `it is ${describe(found.placement)}, not ${describe(expected)}`
    return { ...compared, state: 'misplaced', reason }
  }
  if (isByShard(expected) && anchor !== undefined && found.colocation !== anchor.colocation)
    return { ...compared, state: 'misplaced', reason: `it is not colocated with ${anchor.name}` }
  if (typeof expected === 'object' && expected.with !== undefined)
    if (found.colocation !== tables.get(expected.with)?.colocation) return { ...compared, state: 'apart' }
  return { ...compared, state: expected !== 'local' && hasLocalRows ? 'leftover' : 'placed' }
}

/** As reports name it. */
export function describe(placement: Placement): string {
  if (typeof placement === 'object') return `distributed by ${placement.by}`
  return placement === 'reference' ? 'a reference table' : 'on the coordinator only'
}

export function isByShard(placement: Placement | undefined): boolean {
  return typeof placement === 'object' && placement.by === 'shard'
}
