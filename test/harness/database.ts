import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** The server that this run of the suite works on; the runner names it. Alone, a test file uses the local PostgreSQL. */
export const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A database there that has our tables already, to copy from; the runner makes it. Alone, a test file does without. */
const TEMPLATE = process.env['TEST_DATABASE_TEMPLATE']

export interface TestDatabase {
  url: string
  drop: () => Promise<void>
}

/** A database of its own for one test file, with nothing in it, dropped at the end. */
export async function freshDatabase(): Promise<TestDatabase> {
  return newDatabase('template1')
}

/** The same for those who would make the tables first and test something else: making them is most of a start. */
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

export async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
