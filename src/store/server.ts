import { type Database, type Queries, statement } from '#platform/postgres/database.ts'

const server = statement(
  'server-version-and-clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now, version() as version',
)

/** What the database server says of itself: its version, and the time by its own clock. */
export async function readServer(queries: Queries): Promise<{ version: string; nowMs: number }> {
  const [row] = await queries.rows<{ now: number; version: string }>(server)
  return { version: row!.version, nowMs: row!.now }
}

/** Throws when the server does not answer. Not as a named statement: whether those work is found out later. */
export async function ping(database: Database): Promise<void> {
  await database.script('select 1')
}
