import { Client } from 'pg'
import { openSql } from './sql.ts'
import { until } from './until.ts'

export interface HeldTable {
  /** Resolves when somebody waits for the table. */
  awaited: () => Promise<unknown>
  release: () => Promise<void>
}

/** Locks a table, so that whoever needs it is under way for as long as a test likes. */
export async function holdTable(url: string, table: string): Promise<HeldTable> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  // Over a connection of its own: within a transaction, who is active stays as it was at the first look.
  const { sql, close } = openSql(url)
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return {
    awaited: () => until(`somebody waits for ${table}`, async () => (await sql(waiting)).length > 0),
    release: async () => {
      await client.query('commit')
      await client.end()
      await close()
    },
  }
}
