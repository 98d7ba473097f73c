import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, chown, link, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import { folderRefused, noReachableFolder, vanished } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { canEnter, ensureServiceUser, type ServiceUser } from './service-user.ts'

const POINTER = 'moved-to'

export async function locateDataFolder(options: { dataDir: string; systemDir: string; log: Log }): Promise<DataFolder> {
  const root = process.getuid?.() === 0
  const dataDir = await openDataFolder(options.dataDir, root)
  const anchor = join(dataDir, 'postgres')
  await ensureFolder(anchor, root ? 0o711 : 0o700)
  const home = (await readPointer(anchor)) ?? (await chooseHome({ ...options, dataDir, anchor, root }))
  const cluster = join(home, 'data')
  const homeOwner = await ownerOf(home)
  const dataFolder: DataFolder = {
    dataDir,
    home,
    cluster,
    socketFolder: join(home, 'run'),
    leases: join(home, 'leases'),
    lock: join(home, 'lock'),
    logFile: join(dataDir, 'postgres.log'),
    serviceUser: root ? await userFor(cluster, options.log) : undefined,
    owner: root && homeOwner !== undefined && homeOwner.uid !== 0 ? homeOwner : undefined,
  }
  await ensureFolder(dataFolder.leases, 0o700, dataFolder.owner)
  await ensureFolder(dataFolder.socketFolder, 0o700, dataFolder.serviceUser)
  return dataFolder
}

async function openDataFolder(wanted: string, root: boolean): Promise<string> {
  try {
    // Root's folder is traversable for others, so that the service user reaches its own folder inside.
    await ensureFolder(wanted, root ? 0o711 : 0o700)
    const folder = await realpath(wanted)
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return folder
  } catch (error) {
    throw folderRefused(wanted, error)
  }
}

async function chooseHome(options: { dataDir: string; systemDir: string; anchor: string; root: boolean; log: Log }) {
  const { anchor, dataDir, log, root, systemDir } = options
  if (!root || (await ownerOf(join(anchor, 'data'))) !== undefined) return anchor
  if (await canEnter(await ensureServiceUser(log), anchor)) return anchor
  // The random suffix prevents a data folder that was deleted and created again from using the old database.
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const home = join(systemDir, `${hash}-${randomBytes(3).toString('hex')}`)
  try {
    await ensureFolder(systemDir, 0o711)
    await ensureFolder(home, 0o711)
  } catch (error) {
    throw noReachableFolder(dataDir, systemDir, error)
  }
  const chosen = await writePointer(anchor, home)
  log.info(`PostgreSQL’s system user cannot access ${dataDir}; the database is stored in ${chosen}`)
  return chosen
}

async function readPointer(anchor: string): Promise<string | undefined> {
  const pointer = join(anchor, POINTER)
  let home: string
  try {
    home = (await readFile(pointer, 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  if ((await ownerOf(home)) === undefined) throw vanished(home, pointer)
  return home
}

// If two processes choose at the same time, both use the choice of the first.
async function writePointer(anchor: string, home: string): Promise<string> {
  const draft = join(anchor, `${POINTER}.${randomBytes(6).toString('hex')}`)
  await writeFile(draft, `${home}\n`, { flush: true })
  try {
    await link(draft, join(anchor, POINTER))
    return home
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    await rm(home, { recursive: true })
    return (await readPointer(anchor))!
  } finally {
    await rm(draft)
  }
}

// An existing cluster runs as the system user that owns it.
async function userFor(cluster: string, log: Log): Promise<ServiceUser> {
  const owner = await ownerOf(cluster)
  return owner === undefined || owner.uid === 0 ? ensureServiceUser(log) : owner
}

async function ownerOf(path: string): Promise<ServiceUser | undefined> {
  try {
    const { gid, uid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function ensureFolder(path: string, mode: number, owner?: ServiceUser): Promise<void> {
  // A strict umask must not lock out the service user; an existing folder keeps the mode its owner gave it.
  if ((await mkdir(path, { recursive: true, mode })) !== undefined) await chmod(path, mode)
  if (owner !== undefined) await chown(path, owner.uid, owner.gid)
}
