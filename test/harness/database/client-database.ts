import { type CuttableLine, cuttableLine } from './cuttable-line.ts'
import { freshDatabase } from './database.ts'
import { openSql, type Sql } from './sql.ts'

/** A PostgreSQL database that belongs to the operator of an app: a push destination whose connection can be cut. */
export interface ClientDatabase {
  url: string
  line: CuttableLine
  sql: Sql
  /** Native ids of the delivered rows that are not deleted. */
  live: () => Promise<string[]>
  drop: () => Promise<void>
}

/** Creates a push destination on a new, empty database. */
export async function clientDatabase(): Promise<ClientDatabase> {
  const database = await freshDatabase()
  const line = await cuttableLine(database.url)
  const { sql, close } = openSql(database.url)
  const url = new URL(line.url)
  url.searchParams.set('sslmode', 'disable')
  return {
    url: url.href,
    line,
    sql,
    live: async () => {
      const [table] = await sql<{ exists: boolean }>(`select to_regclass('tributary_items') is not null as exists`)
      if (table?.exists !== true) return []
      const rows = await sql<{ native_id: string }>(
        'select native_id from tributary_items where deleted_at is null order by native_id',
      )
      return rows.map(({ native_id }) => native_id)
    },
    drop: async () => {
      await close()
      await line.close()
      await database.drop()
    },
  }
}
