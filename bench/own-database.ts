import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

const SERVER = process.env['BENCH_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** Creates a database on the server of the benchmarks, and drops it afterwards. */
export async function withDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const name = `tributary_bench_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name}`)
  try {
    const url = new URL(SERVER)
    url.pathname = `/${name}`
    return await work(url.href)
  } finally {
    await onServer(`drop database if exists ${name} with (force)`)
  }
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  await client.query(sql)
  await client.end()
}
