import { Client, escapeIdentifier } from 'pg'
import { codeOf, reasonOf } from '../errors.ts'
import { SUPERUSER } from './cluster.ts'
import { wrongPassword } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { type PostmasterPid, readPostmasterPid } from './postmaster-pid.ts'
import { runsIn } from './processes.ts'

/** Who asks for which database. */
export interface Access {
  password: string
  database: string
}

/** `busy`: a postmaster is there and does not serve yet, or no longer. */
export type Probe = { state: 'absent' } | { state: 'busy' } | { state: 'ready'; url: string }

const CONNECT_TIMEOUT_MS = 5000
const NO_SUCH_DATABASE = '3D000'
const DATABASE_EXISTS = '42P04'
const TOO_MANY_CLIENTS = '53300'
const WRONG_PASSWORD = new Set(['28P01', '28000'])
const NOT_NOW = new Set(['57P01', '57P02', '57P03', '57P05'])

/** Finds out by connecting: only that proves that it serves, and that the password is right. */
export async function probe(dataFolder: DataFolder, access: Access): Promise<Probe> {
  const postmaster = await readPostmasterPid(dataFolder.cluster)
  if (postmaster === undefined) return { state: 'absent' }
  // An old port may belong to a stranger by now, who must not be offered our password.
  if (postmaster.socketFolder === undefined && !(await runsIn(postmaster.pid, dataFolder.cluster)))
    return { state: 'absent' }
  const url = urlOf(dataFolder, postmaster, access)
  try {
    await connectOnce(url)
    return { state: 'ready', url }
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === TOO_MANY_CLIENTS) return { state: 'ready', url }
    if (WRONG_PASSWORD.has(code)) throw wrongPassword(dataFolder, error)
    if (NOT_NOW.has(code)) return { state: 'busy' }
    if (code === NO_SUCH_DATABASE) {
      await makeDatabase(urlOf(dataFolder, postmaster, { ...access, database: 'postgres' }), access.database)
      return { state: 'ready', url }
    }
    if (isFromServer(error)) throw new Error(`The embedded PostgreSQL answers: ${reasonOf(error)}`, { cause: error })
    return { state: (await runsIn(postmaster.pid, dataFolder.cluster)) ? 'busy' : 'absent' }
  }
}

function urlOf(dataFolder: DataFolder, postmaster: PostmasterPid, { database, password }: Access): string {
  const who = `${SUPERUSER}:${encodeURIComponent(password)}`
  const name = encodeURIComponent(database)
  if (postmaster.socketFolder === undefined) return `postgresql://${who}@127.0.0.1:${postmaster.port}/${name}`
  return `postgresql://${who}@localhost:${postmaster.port}/${name}?host=${encodeURIComponent(dataFolder.socketFolder)}`
}

async function connectOnce(url: string): Promise<void> {
  await withClient(url, () => Promise.resolve())
}

async function makeDatabase(url: string, database: string): Promise<void> {
  await withClient(url, async (client) => {
    try {
      await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`)
    } catch (error) {
      if (codeOf(error) !== DATABASE_EXISTS) throw error
    }
  })
}

async function withClient(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  // A server that goes away is reported by the call at work; without a listener it would also end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    // The work is done or its own error is on its way; a connection that broke needs no goodbye.
    await client.end().catch(() => {})
  }
}

// PostgreSQL's own answers carry a five-character SQLSTATE; system errors begin with E and are longer words.
function isFromServer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '') && !/^E[A-Z]{4}$/.test(codeOf(error) ?? '')
}
