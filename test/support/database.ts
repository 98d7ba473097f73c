import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

/** The server that this run of the suite works on; the runner names it. Alone, a test file uses the local PostgreSQL. */
const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A database of its own for one test file, dropped at the end. */
export async function freshDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `tributary_test_${randomBytes(6).toString('hex')}`
  await onServer(`create database ${name}`)
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
