import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { migrate } from '#store/migrate.ts'
import { partitionTables } from './partition-tables.ts'

export const silent = createLog({ level: 'silent', format: 'json', clock: systemClock, write: () => {} })

/** Tables as the migrations create them, or divided into partitions by shard. */
export type Tables = 'whole' | 'partitioned'

/**
 * Creates our tables once on a server, in a database that test files copy theirs from; dropped when the work is
 * done.
 */
export async function withTemplate<Result>(
  server: string,
  tables: Tables,
  work: (name: string) => Promise<Result>,
): Promise<Result> {
  const name = `tributary_template_${randomBytes(6).toString('hex')}`
  await run(server, `create database ${name}`)
  try {
    const url = new URL(server)
    url.pathname = `/${name}`
    await fillDatabase(url.href)
    if (tables === 'partitioned') await onServer(url.href, partitionTables)
    return await work(name)
  } finally {
    await run(server, `drop database if exists ${name} with (force)`)
  }
}

/** Drops the databases whose names begin like this: those that test files share, and those of processes that were killed. */
export async function dropDatabases(server: string, prefix: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select quote_ident(datname) as name from pg_database where starts_with(datname, $1)',
      [`${prefix}_`],
    )
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
  })
}

/** Our tables. */
export async function fillDatabase(url: string): Promise<void> {
  const database = openDatabase({ url, pool: 1, prepared: true, log: silent })
  try {
    await migrate(database, systemClock.now())
  } finally {
    await database.close()
  }
}

const run = (server: string, sql: string): Promise<unknown> => onServer(server, (client) => client.query(sql))

async function onServer(server: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
