import { Client } from 'pg'

/** Executes a query and returns its rows. */
export type Sql = <Row extends object = Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>

export interface OpenSql {
  sql: Sql
  close: () => Promise<void>
}

/** Opens a connection of the test itself, to see what is stored. It connects at the first query. */
export function openSql(url: string): OpenSql {
  let connecting: Promise<Client> | undefined
  return {
    sql: async <Row extends object>(text: string, values: unknown[] = []) => {
      connecting ??= connect(url)
      return (await (await connecting).query<Row>(text, values)).rows
    },
    close: async () => {
      await (await connecting)?.end()
    },
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // Dropping the database at the end may close this connection first.
  client.on('error', () => {})
  await client.connect()
  return client
}
