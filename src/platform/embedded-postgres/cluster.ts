import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, reasonOf } from '../errors.ts'
import type { Binaries } from './binaries.ts'
import { isDiskFull } from './disk.ts'
import { binariesRefused, damaged, diskFull, folderClosed, otherVersion, unnamedUser } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { lastLines } from './log-file.ts'
import { processesIn, signal } from './processes.ts'
import { identity } from './service-user.ts'

const DRAFT_PREFIX = 'data.new-'
const PASSWORD_PREFIX = 'password.new-'
export const SUPERUSER = 'tributary'

/** Not the caller's environment: a PGPORT or a locale in it would change what PostgreSQL does. */
export const CHILD_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' }

/** Creates the cluster if there is none; throws for one that this PostgreSQL cannot open. Call only under the lock. */
export async function ensureCluster(
  dataFolder: DataFolder,
  binaries: Binaries,
  password: string,
): Promise<'new' | 'existing'> {
  await removeLeftovers(dataFolder.home)
  if ((await entriesOf(dataFolder.cluster)).length === 0) {
    await createCluster(dataFolder, binaries, password)
    return 'new'
  }
  await checkVersion(dataFolder, binaries.major)
  if (dataFolder.serviceUser !== undefined && (await stat(dataFolder.cluster)).uid === 0)
    await changeOwner(dataFolder.cluster, dataFolder.serviceUser)
  return 'existing'
}

async function checkVersion(dataFolder: DataFolder, major: string): Promise<void> {
  let version: string
  try {
    version = (await readFile(join(dataFolder.cluster, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    throw damaged(dataFolder, 'its PG_VERSION file is missing.', '')
  }
  if (version !== major) throw otherVersion(dataFolder, version, major)
}

// Created under another name and renamed when complete, so that a partial cluster is never used.
async function createCluster(dataFolder: DataFolder, binaries: Binaries, password: string): Promise<void> {
  const suffix = randomBytes(6).toString('hex')
  const draft = join(dataFolder.home, `${DRAFT_PREFIX}${suffix}`)
  const passwordFile = join(dataFolder.home, `${PASSWORD_PREFIX}${suffix}`)
  await mkdir(draft, { mode: 0o700 })
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  if (dataFolder.serviceUser !== undefined) {
    await chown(draft, dataFolder.serviceUser.uid, dataFolder.serviceUser.gid)
    await chown(passwordFile, dataFolder.serviceUser.uid, dataFolder.serviceUser.gid)
  }
  try {
    await initdb(dataFolder, binaries.initdb, draft, passwordFile)
    await rename(draft, dataFolder.cluster)
    await syncFolder(dataFolder.home)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function initdb(dataFolder: DataFolder, program: string, draft: string, passwordFile: string): Promise<void> {
  const parameters = [
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    // The operating system's locale is C, because not every system has C.UTF-8; the database uses PostgreSQL's built-in locale.
    '--locale=C',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  const { exitCode, output } = await runToEnd(program, parameters, { cwd: draft, ...identity(dataFolder.serviceUser) })
  if (exitCode === 0) return
  if (await isDiskFull(dataFolder.home, output)) throw diskFull(dataFolder.home)
  if (output.includes('could not look up effective user ID')) throw unnamedUser(lastLines(output))
  if (output.includes('error while loading shared libraries')) throw binariesRefused(program, lastLines(output))
  if (output.includes('Permission denied') && dataFolder.serviceUser !== undefined) throw folderClosed(dataFolder)
  throw new Error(`PostgreSQL could not create its database in ${dataFolder.home}:\n${lastLines(output)}`)
}

function runToEnd(program: string, parameters: string[], options: { cwd: string; uid?: number; gid?: number }) {
  return new Promise<{ exitCode: number | null; output: string }>((resolve, reject) => {
    // In its own session, so that Ctrl-C at the terminal reaches only this process.
    const child = spawn(program, parameters, {
      ...options,
      detached: true,
      env: CHILD_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const append = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', append)
    child.stderr.on('data', append)
    child.on('error', (error) => reject(binariesRefused(program, reasonOf(error), error)))
    child.on('close', (exitCode) => resolve({ exitCode, output }))
  })
}

// Removes what a process left behind that died while creating a cluster, including a running initdb.
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(DRAFT_PREFIX) && !name.startsWith(PASSWORD_PREFIX)) continue
    const path = join(home, name)
    for (const pid of await processesIn(path)) signal(pid, 'SIGKILL')
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

// A restored backup often belongs to root, and PostgreSQL refuses to run as root.
async function changeOwner(folder: string, user: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), user.uid, user.gid)
  await lchown(folder, user.uid, user.gid)
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
