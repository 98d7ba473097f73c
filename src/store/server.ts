import { type Database, type Queries, statement } from '#platform/postgres/database.ts'

const readVersionAndClock = statement(
  'server-version-and-clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now, version() as version',
)

/** The version of the database server, and the time of its clock. */
export async function readServer(queries: Queries): Promise<{ version: string; nowMs: number }> {
  const [row] = await queries.rows<{ now: number; version: string }>(readVersionAndClock)
  return { version: row!.version, nowMs: row!.now }
}

/** Throws when the server does not respond. Not prepared: whether a pooler supports that is checked later. */
export async function ping(database: Database): Promise<void> {
  await database.script('select 1')
}
