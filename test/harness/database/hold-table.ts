import { Client } from 'pg'
import { until } from '../until.ts'
import { ACTIVITY } from './cluster.ts'
import { openSql } from './sql.ts'

/** A locked table. */
export interface HeldTable {
  /** Resolves when a statement waits for the lock; with a text, one that contains it: the service has work of its own, too. */
  awaited: (text?: string) => Promise<unknown>
  release: () => Promise<void>
}

/** Locks a table, so that a statement that needs it stays in progress until the test releases the lock. */
export async function holdTable(url: string, table: string): Promise<HeldTable> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  // On a connection of its own: within a transaction, pg_stat_activity does not change after the first query.
  const { sql, close } = openSql(url)
  const waiting = `select 1 from ${ACTIVITY}
    where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`
  return {
    awaited: (text = '') =>
      until(`a statement waits for ${table}`, async () => (await sql(waiting, [text])).length > 0),
    release: async () => {
      await client.query('commit')
      await client.end()
      await close()
    },
  }
}
