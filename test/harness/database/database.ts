import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { clearDatabase, rememberDatabase } from './clear-database.ts'
import { CLUSTER_NODES, copyDatabase, dropDatabase, urlOf } from './cluster.ts'

/** The server of this test run, set by the runner. A test file that runs alone uses the local PostgreSQL. */
export const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** The name of a database with our tables, to copy from; created by the runner, absent when a test file runs alone. */
const TEMPLATE = process.env['TEST_DATABASE_TEMPLATE']

/** The runner drops what is left of its own databases. */
const PREFIX = process.env['TEST_DATABASE_PREFIX'] ?? 'tributary_test'

/** No commit waits for the disk, as on the embedded database of tests: tests that kill a database start their own. */
const SETTINGS = ['synchronous_commit = off', 'jit = off']

export interface TestDatabase {
  url: string
  drop: () => Promise<void>
}

/** Creates an empty database for one test file; `drop` removes it. On a sharded server it is on the coordinator only. */
export async function freshDatabase(): Promise<TestDatabase> {
  return newDatabase('template1', [SERVER])
}

/**
 * The same with our tables where the runner has a template: creating them is most of the time of a start. On a sharded server
 * they are distributed.
 */
export async function preparedDatabase(): Promise<TestDatabase> {
  const isReused = process.env['TEST_QUEUE'] !== undefined && TEMPLATE !== undefined && CLUSTER_NODES.length <= 1
  if (!isReused) return newDatabase(TEMPLATE ?? 'template1', CLUSTER_NODES.length > 0 ? CLUSTER_NODES : [SERVER])
  const database = cleared.pop() ?? (await rememberedDatabase(TEMPLATE))
  const giveBack = async () => {
    if (await clearDatabase(database.url, database.remembered)) cleared.push(database)
    else await database.drop()
  }
  let dropped: Promise<void> | undefined
  return { url: database.url, drop: () => (dropped ??= giveBack()) }
}

/** Of test files that have ended in this process. The runner drops them. */
const cleared: (TestDatabase & { remembered: string })[] = []

async function rememberedDatabase(template: string) {
  const database = await newDatabase(template, [SERVER])
  return { ...database, remembered: await rememberDatabase(database.url) }
}

/** A database without tables on all nodes of a sharded server. */
export async function emptyClusterDatabase(): Promise<TestDatabase> {
  const template = process.env['TEST_CLUSTER_EMPTY']
  if (template === undefined) throw new Error('only npm run test:citus has a sharded server')
  return newDatabase(template, CLUSTER_NODES)
}

async function newDatabase(template: string, nodes: readonly string[]): Promise<TestDatabase> {
  const name = `${PREFIX}_${randomBytes(6).toString('hex')}`
  if (nodes.length > 1) await copyDatabase(nodes, name, template)
  else
    await onServer(
      `create database ${name} template ${template}`,
      ...SETTINGS.map((each) => `alter database ${name} set ${each}`),
    )
  return { url: urlOf(SERVER, name), drop: () => dropDatabase(nodes, name) }
}

/** Executes SQL on the server, outside of any test database. */
export async function onServer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  try {
    for (const sql of statements) await client.query(sql)
  } finally {
    await client.end()
  }
}
