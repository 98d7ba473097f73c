import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SetupError } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import { locateDataFolder } from './data-folder.ts'
import { explain, foreignHome } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { activeLeases } from './leases.ts'
import { SYSTEM_DIR, underLock } from './open.ts'
import { stopPostmaster } from './postmaster.ts'

/** The name that a database outside its data folder gets. */
const HOME_NAME = /^[0-9a-f]{16}-[0-9a-f]{6}$/

interface Options {
  dataDir: string
  systemDir?: string
  log: Log
}

/** The folders in which the embedded database of a data folder is; none if there is no database. */
export async function embeddedFolders(options: Options): Promise<string[]> {
  if (!existsSync(join(options.dataDir, 'postgres'))) return []
  const dataFolder = await locate(options)
  const anchor = join(dataFolder?.dataDir ?? options.dataDir, 'postgres')
  // The folder inside the data folder last: until then the command can be repeated.
  return [...new Set([dataFolder?.home ?? anchor, anchor])]
}

/**
 * Removes the embedded database of a data folder, and stops it where nobody uses it any more. False when a process uses it: then
 * nothing was changed.
 */
export async function removeEmbedded(options: Options): Promise<boolean> {
  const folders = await embeddedFolders(options)
  const dataFolder = folders.length === 0 ? undefined : await locate(options)
  const remove = async () => {
    // Renamed first: a process that waits for the lock finds no database, instead of one that loses its files.
    for (const folder of folders) {
      const removed = `${folder}.${randomBytes(6).toString('hex')}`
      await rename(folder, removed)
      await rm(removed, { recursive: true, maxRetries: 5 })
    }
    return true
  }
  try {
    if (dataFolder === undefined) return await remove()
    return await underLock(dataFolder, options.log, async () => {
      if (activeLeases(dataFolder.leases).length > 0) return false
      await stopPostmaster(dataFolder, options.log)
      return remove()
    })
  } catch (error) {
    throw explain(error, options.dataDir)
  }
}

/** Undefined when the database outside the data folder is gone, as after an interrupted removal. */
async function locate({ dataDir, systemDir = SYSTEM_DIR, log }: Options): Promise<DataFolder | undefined> {
  try {
    const dataFolder = await locateDataFolder({ dataDir, systemDir, log })
    requireOurs(dataFolder, systemDir)
    return dataFolder
  } catch (error) {
    if (error instanceof SetupError && error.code === 'database_missing') return undefined
    throw explain(error, dataDir)
  }
}

/** Who may write into the data folder could name any folder in `moved-to`, and root would remove it. */
function requireOurs({ dataDir, home }: DataFolder, systemDir: string): void {
  if (home === join(dataDir, 'postgres')) return
  if (dirname(home) !== systemDir || !HOME_NAME.test(basename(home))) throw foreignHome(home, dataDir, systemDir)
}
