import { randomBytes } from 'node:crypto'
import { Client } from 'pg'

const SERVER =
  process.env['BENCH_DATABASE_URL'] ?? process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** Creates a database on the server of the benchmarks, and drops it afterwards. */
export async function withDatabase<Result>(work: (url: string) => Promise<Result>): Promise<Result> {
  const { url, drop } = await createDatabase()
  try {
    return await work(url)
  } finally {
    await drop()
  }
}

export async function createDatabase(): Promise<{ name: string; url: string; drop: () => Promise<void> }> {
  const name = `tributary_bench_${randomBytes(4).toString('hex')}`
  const server = async (sql: string) => {
    const client = await connectToServer()
    await client.query(sql)
    await client.end()
  }
  await server(`create database ${name}`)
  const url = new URL(SERVER)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => server(`drop database if exists ${name} with (force)`) }
}

/** A connection to none of the databases that are measured. */
export async function connectToServer(): Promise<Client> {
  const client = new Client({ connectionString: SERVER })
  await client.connect()
  return client
}
