import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** The server of this test run, set by the runner. A test file that runs alone uses the local PostgreSQL. */
export const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** The name of a database with our tables, to copy from; created by the runner, absent when a test file runs alone. */
const TEMPLATE = process.env['TEST_DATABASE_TEMPLATE']

export interface TestDatabase {
  url: string
  drop: () => Promise<void>
}

/** Creates an empty database for one test file; `drop` removes it. */
export async function freshDatabase(): Promise<TestDatabase> {
  return newDatabase('template1')
}

/** The same with our tables where the runner has a template: creating them is most of the time of a start. */
export async function preparedDatabase(): Promise<TestDatabase> {
  return newDatabase(TEMPLATE ?? 'template1')
}

async function newDatabase(template: string): Promise<TestDatabase> {
  const name = `tributary_test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name} template ${template}`)
  const url = new URL(SERVER)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}

/** Executes SQL on the server, outside of any test database. */
export async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
