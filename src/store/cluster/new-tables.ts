import type { Queries } from '#platform/postgres/database.ts'
import { anchorOf, compareTables } from './compare-tables.ts'
import { placeTable } from './placement-sql.ts'
import { readCluster } from './read-cluster.ts'

export interface NewTables {
  /** Places the tables that were created since: in the same transaction, so that nobody sees them elsewhere. */
  placeNewTables: (tx: Queries) => Promise<void>
}

/**
 * For migrations of a database whose tables are distributed. Only tables that the migration creates are placed: older ones may
 * have many rows, which `tributary cluster plan` moves when the operator decides.
 */
export async function watchNewTables(tx: Queries): Promise<NewTables> {
  const cluster = await readCluster(tx)
  const anchor = anchorOf(cluster?.tables ?? [])
  if (cluster === undefined || anchor === undefined) return { placeNewTables: async () => {} }
  const known = new Set(cluster.tables.map(({ name }) => name))
  return {
    placeNewTables: async (current) => {
      const { tables } = (await readCluster(current))!
      const created = compareTables(tables).filter(({ table, state }) => state === 'unplaced' && !known.has(table))
      // Reference tables first, because foreign keys point to them.
      const references = created.filter(({ expected }) => expected === 'reference')
      for (const { table, expected } of [...references, ...created.filter((each) => !references.includes(each))])
        for (const text of placeTable(table, expected!, { anchor: anchor.name })) await current.rows({ name: '', text })
    },
  }
}
