import type { Connection as Client, RowDataPacket } from 'mysql2/promise'

/** Runs a statement as text and returns its rows. */
export async function queryRows<Row extends object>(
  client: Client,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const [rows] = await client.query<RowDataPacket[]>({ sql, values })
  // A server may respond to a query as if it were a command.
  return Array.isArray(rows) ? (rows as unknown as Row[]) : []
}
