import { lchown } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../telemetry/log.ts'
import { acquireFileLock, type FileLock } from '../waiting/file-lock.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { locateDataFolder } from './data-folder.ts'
import { explain, tooSlow } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { activeLeases, takeLease } from './leases.ts'
import { rotateLog } from './log-file.ts'
import { READY_TIMEOUT_MS, startPostmaster, stopPostmaster } from './postmaster.ts'
import { type Access, probe } from './probe.ts'

export interface EmbeddedOptions {
  dataDir: string
  /** From the key file; the database is created with it. */
  password: string
  log: Log
  database?: string
  systemDir?: string
}

/** `new`: created and started; `existing`: started; `shared`: it was running. */
export type Started = 'new' | 'existing' | 'shared'

export interface Embedded {
  url: string
  started: Started
  /** Restarts the database if it died; the URL may change. */
  ensure(): Promise<string>
  /** The last release stops the database. */
  release(): Promise<void>
}

interface Running {
  url: string
  started: Started
}

/** Where root stores the database if PostgreSQL's system user cannot reach the data folder. */
export const SYSTEM_DIR = '/var/lib/tributary'

const POLL_MS = 30
const LOCK_TIMEOUT_MS = READY_TIMEOUT_MS * 2

/**
 * Opens the embedded PostgreSQL of a data folder, which all processes of that folder share. Starting, stopping and counting
 * uses happen under one lock, so that no two processes start it at once and none stops it while another one opens it.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { database = 'tributary', dataDir, log, password, systemDir = SYSTEM_DIR } = options
  const access = { password, database }
  const bringUp = (dataFolder: DataFolder) => findOrStart({ dataFolder, access, systemDir, log })
  try {
    const dataFolder = await locateDataFolder({ dataDir, systemDir, log })
    const { lease, running } = await underLock(dataFolder, log, async () => {
      const lease = takeLease(dataFolder.leases, dataFolder.owner)
      try {
        return { lease, running: await bringUp(dataFolder) }
      } catch (error) {
        lease.release()
        await stopIfUnused(dataFolder, log)
        throw error
      }
    })
    let released: Promise<void> | undefined
    return {
      ...running,
      ensure: async () =>
        (
          await explained(
            dataDir,
            underLock(dataFolder, log, () => bringUp(dataFolder)),
          )
        ).url,
      release() {
        released ??= underLock(dataFolder, log, () => {
          lease.release()
          return stopIfUnused(dataFolder, log)
        })
        return released
      },
    }
  } catch (error) {
    throw explain(error, dataDir)
  }
}

async function findOrStart(options: {
  dataFolder: DataFolder
  access: Access
  systemDir: string
  log: Log
}): Promise<Running> {
  const { access, log, dataFolder, systemDir } = options
  await rotateLog(dataFolder.logFile)
  const url = await urlWhenReady(dataFolder, access)
  if (url !== undefined) return { url, started: 'shared' }
  const binaries = await prepareBinaries({ dataFolder, systemDir, package: await findPackage(), log })
  const started = await ensureCluster(dataFolder, binaries, access.password)
  await startPostmaster(dataFolder, binaries, log)
  const startedUrl = await urlWhenReady(dataFolder, access)
  if (startedUrl === undefined) throw new Error(`PostgreSQL stopped right after its start; see ${dataFolder.logFile}`)
  return { url: startedUrl, started }
}

// Waits while PostgreSQL starts, replays or stops; undefined when none runs.
async function urlWhenReady(dataFolder: DataFolder, access: Access): Promise<string | undefined> {
  const beganAt = performance.now()
  for (;;) {
    const found = await probe(dataFolder, access)
    if (found.state === 'ready') return found.url
    if (found.state === 'absent') return undefined
    const waitedMs = performance.now() - beganAt
    if (waitedMs > READY_TIMEOUT_MS) throw tooSlow('PostgreSQL runs but did not respond', waitedMs, dataFolder.logFile)
    await sleep(POLL_MS)
  }
}

async function stopIfUnused(dataFolder: DataFolder, log: Log): Promise<void> {
  if (activeLeases(dataFolder.leases).length === 0) await stopPostmaster(dataFolder, log)
}

/** For what starts, stops or removes the database. */
export async function underLock<T>(dataFolder: DataFolder, log: Log, work: () => Promise<T>): Promise<T> {
  let hasLogged = false
  const lock: FileLock = await acquireFileLock(dataFolder.lock, (waitedMs) => {
    if (waitedMs > LOCK_TIMEOUT_MS)
      throw tooSlow('Another process was still starting or stopping PostgreSQL', waitedMs, dataFolder.logFile)
    if (waitedMs > 5000 && !hasLogged) log.info('Waiting for another process that is starting or stopping PostgreSQL.')
    hasLogged ||= waitedMs > 5000
  })
  try {
    if (dataFolder.owner !== undefined) await lchown(dataFolder.lock, dataFolder.owner.uid, dataFolder.owner.gid)
    return await work()
  } finally {
    lock.release()
  }
}

async function explained<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw explain(error, folder)
  }
}
