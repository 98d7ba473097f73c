import { lchown } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base/log.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import { ensureCluster } from './cluster.ts'
import { explain, tooSlow } from './failures.ts'
import { type FileLock, fileLock } from './file-lock.ts'
import type { Place } from './layout.ts'
import { livingLeases, takeLease } from './leases.ts'
import { boundLog } from './log-file.ts'
import { findPlace } from './place.ts'
import { READY_TIMEOUT_MS, startPostmaster, stopPostmaster } from './postmaster.ts'
import { type Access, probe } from './probe.ts'

export interface EmbeddedOptions {
  dataDir: string
  /** From the key file; the database is made with it and asks for it ever after. */
  password: string
  log: Log
  database?: string
  /** Where root keeps a database whose data folder PostgreSQL's system user cannot reach. */
  systemDir?: string
}

/** `new`: made and started; `existing`: started; `shared`: it was running. */
export type Started = 'new' | 'existing' | 'shared'

export interface Embedded {
  url: string
  started: Started
  /** Starts it again if it died meanwhile; the URL may be another one. */
  ensure(): Promise<string>
  /** The last one to leave stops the database. */
  release(): Promise<void>
}

interface Running {
  url: string
  started: Started
}

const POLL_MS = 30
const LOCK_TIMEOUT_MS = READY_TIMEOUT_MS * 2

/**
 * The embedded PostgreSQL of a data folder, shared by every process that opens it. All that starts, stops or counts
 * happens under one lock, so that no two processes start it at once and none stops it while another comes in.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { database = 'tributary', dataDir, log, password, systemDir = '/var/lib/tributary' } = options
  const access = { password, database }
  const bringUp = (place: Place) => findOrStart({ place, access, systemDir, log })
  try {
    const place = await findPlace({ dataDir, systemDir, log })
    const { lease, running } = await underLock(place, log, async () => {
      const lease = takeLease(place.leases, place.owner)
      try {
        return { lease, running: await bringUp(place) }
      } catch (error) {
        lease.release()
        await stopIfUnused(place, log)
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
            underLock(place, log, () => bringUp(place)),
          )
        ).url,
      release() {
        released ??= underLock(place, log, () => {
          lease.release()
          return stopIfUnused(place, log)
        })
        return released
      },
    }
  } catch (error) {
    throw explain(error, dataDir)
  }
}

async function findOrStart(options: { place: Place; access: Access; systemDir: string; log: Log }): Promise<Running> {
  const { access, log, place, systemDir } = options
  await boundLog(place.logFile)
  const url = await urlWhenReady(place, access)
  if (url !== undefined) return { url, started: 'shared' }
  const binaries = await prepareBinaries({ place, systemDir, package: await findPackage(), log })
  const started = await ensureCluster(place, binaries, access.password)
  await startPostmaster(place, binaries, log)
  const startedUrl = await urlWhenReady(place, access)
  if (startedUrl === undefined) throw new Error(`PostgreSQL ended right after it started; see ${place.logFile}`)
  return { url: startedUrl, started }
}

// Waits for one that is starting, replaying or stopping; undefined when none runs.
async function urlWhenReady(place: Place, access: Access): Promise<string | undefined> {
  const beganAt = performance.now()
  for (;;) {
    const found = await probe(place, access)
    if (found.state === 'ready') return found.url
    if (found.state === 'absent') return undefined
    const waitedMs = performance.now() - beganAt
    if (waitedMs > READY_TIMEOUT_MS) throw tooSlow('PostgreSQL runs but does not answer', waitedMs, place.logFile)
    await sleep(POLL_MS)
  }
}

async function stopIfUnused(place: Place, log: Log): Promise<void> {
  if (livingLeases(place.leases).length === 0) await stopPostmaster(place, log)
}

async function underLock<T>(place: Place, log: Log, work: () => Promise<T>): Promise<T> {
  let told = false
  const lock: FileLock = await fileLock(place.lock, (waitedMs) => {
    if (waitedMs > LOCK_TIMEOUT_MS)
      throw tooSlow('Another process still starts or stops PostgreSQL', waitedMs, place.logFile)
    if (waitedMs > 5000 && !told) log.info('Waiting for another process that starts or stops PostgreSQL.')
    told ||= waitedMs > 5000
  })
  try {
    if (place.owner !== undefined) await lchown(place.lock, place.owner.uid, place.owner.gid)
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
