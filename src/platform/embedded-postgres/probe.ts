import { Client, escapeIdentifier } from 'pg'
import { codeOf, reasonOf } from '../errors.ts'
import { SUPERUSER } from './cluster.ts'
import { wrongPassword } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { type PostmasterPid, readPostmasterPid } from './postmaster-pid.ts'
import { runsIn } from './processes.ts'

/** Password and name of the database. */
export interface Access {
  password: string
  database: string
}

/** `busy`: a postmaster runs but is starting or stopping. */
export type Probe = { state: 'absent' } | { state: 'busy' } | { state: 'ready'; url: string }

const CONNECT_TIMEOUT_MS = 5000
const NO_SUCH_DATABASE = '3D000'
const DATABASE_EXISTS = '42P04'
const TOO_MANY_CLIENTS = '53300'
const WRONG_PASSWORD = new Set(['28P01', '28000'])
const NOT_READY = new Set(['57P01', '57P02', '57P03', '57P05'])

/** Connects, because only that proves that the server accepts connections and that the password is right. */
export async function probe(dataFolder: DataFolder, access: Access): Promise<Probe> {
  const postmaster = await readPostmasterPid(dataFolder.cluster)
  if (postmaster === undefined) return { state: 'absent' }
  // Another program may now listen on an old port, and must not receive the password.
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
    if (NOT_READY.has(code)) return { state: 'busy' }
    if (code === NO_SUCH_DATABASE) {
      await createDatabase(urlOf(dataFolder, postmaster, { ...access, database: 'postgres' }), access.database)
      return { state: 'ready', url }
    }
    if (isFromServer(error))
      throw new Error(`The embedded PostgreSQL responded with an error: ${reasonOf(error)}`, { cause: error })
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

async function createDatabase(url: string, database: string): Promise<void> {
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
  // The running call reports a lost connection; without a listener the error would also end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await work(client)
  } finally {
    // The work is done or has failed with its own error; an error of closing adds nothing.
    await client.end().catch(() => {})
  }
}

// PostgreSQL's errors have a five-character SQLSTATE; the codes of system errors begin with E and are longer.
function isFromServer(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error) ?? '') && !/^E[A-Z]{4}$/.test(codeOf(error) ?? '')
}
