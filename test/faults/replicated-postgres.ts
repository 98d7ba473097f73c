import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { signalTree } from '../chaos/process-tree.ts'
import { freePort } from '../harness/free-port.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)

/** A primary with a standby. */
export interface Replicated {
  primaryUrl: string
  standbyUrl: string
  /** Sends a signal to every process of the standby. */
  signalStandby: (signal: 'SIGSTOP' | 'SIGCONT') => void
  /** Kills the primary with all its processes, like a power cut, and promotes the standby. */
  failOver: () => Promise<void>
  /** Copies the running primary, starts the copy as a server of its own, and returns its URL. */
  restoreCopy: () => Promise<string>
  remove: () => Promise<void>
}

/** Why replication is not available here, as a test's `skip` option; false when it is. */
export function replicationMissing(): string | false {
  if (programs() === undefined) return 'no PostgreSQL with pg_basebackup is installed'
  return process.getuid?.() === 0 && serverUser() === undefined ? 'as root a system user “postgres” is needed' : false
}

interface ReplicationOptions {
  synchronous?: boolean
  /** Further settings of the standby. */
  standby?: Record<string, string>
}

const QUICK = { fsync: 'off', shared_buffers: '16MB', max_connections: '60' }

/** A server that no other test uses. */
export async function startOwnServer(): Promise<{ url: string; remove: () => Promise<void> }> {
  const { initialize, start, remove } = createServers()
  try {
    await initialize('only')
    return { url: await start('only', QUICK), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Servers in one folder, by name. */
function createServers() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-servers-'))
  const user = serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const at = (program: string) => join(programs()!, program)
  const asServer = { ...user, cwd: folder }
  const running = new Map<string, ChildProcess>()
  const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

  const start = async (name: string, settings: Record<string, string>, tries = 5): Promise<string> => {
    const port = await freePort()
    const given = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder, ...settings }
    const args = [
      '-D',
      join(folder, name),
      ...Object.entries(given).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ]
    // A process group of its own, so that all of it can be killed at once.
    const child = spawn(at('postgres'), args, { ...asServer, stdio: 'ignore', detached: true })
    running.set(name, child)
    const ended = once(child, 'exit').then(() => false)
    if (await Promise.race([waitForServer(urlOf(port)).then(() => true), ended])) return urlOf(port)
    // Another process took the port meanwhile.
    if (tries === 0) throw new Error(`the server ${name} ended at its start`)
    return start(name, settings, tries - 1)
  }
  const copy = (from: string, name: string, ...options: string[]) =>
    run(at('pg_basebackup'), ['-d', from, '-D', join(folder, name), '-X', 'stream', '-c', 'fast', ...options], asServer)
  const kill = async (name: string) => {
    const child = running.get(name)
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
  const remove = async () => {
    for (const name of running.keys()) await kill(name)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  const initialize = (name: string) =>
    run(at('initdb'), ['-D', join(folder, name), '-U', 'postgres', '-A', 'trust', '--no-sync'], asServer)
  return { initialize, start, copy, kill, remove, pidOf: (name: string) => running.get(name)!.pid! }
}

/** The standby is synchronous unless it is told otherwise: the primary confirms a write when the standby has stored it, too. */
export async function startReplicated({
  synchronous = true,
  standby = {},
}: ReplicationOptions = {}): Promise<Replicated> {
  const { initialize, start, copy, kill, remove, pidOf } = createServers()
  try {
    await initialize('primary')
    const primaryUrl = await start('primary', { ...QUICK, synchronous_standby_names: synchronous ? '*' : '' })
    await copy(primaryUrl, 'standby', '-R')
    const standbyUrl = await start('standby', { ...QUICK, ...standby })
    const state = synchronous ? 'sync' : 'async'
    await untilFound(primaryUrl, `select 1 from pg_stat_replication where sync_state = '${state}'`)
    return {
      primaryUrl,
      standbyUrl,
      signalStandby: (signal) => void signalTree(pidOf('standby'), signal),
      failOver: async () => {
        await kill('primary')
        await query(standbyUrl, 'select pg_promote()')
        await untilFound(standbyUrl, 'select 1 where not pg_is_in_recovery()')
      },
      restoreCopy: async () => {
        await copy(primaryUrl, 'copy')
        return start('copy', QUICK)
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function programs(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin/pg_basebackup')
    .map((file) => join(file, '..'))
    .at(-1)
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

async function query(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rowCount ?? 0
  } finally {
    await client.end()
  }
}

async function untilFound(url: string, sql: string): Promise<void> {
  await until(sql, async () => (await query(url, sql)) > 0)
}

async function waitForServer(url: string): Promise<void> {
  await until('the server accepts queries', () =>
    query(url, 'select 1').then(
      () => true,
      () => false,
    ),
  )
}
