import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, opendir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalidInput } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { DeliveryError } from '../contract.ts'
import type { ObjectStore } from './object-store.ts'
import { realFolder } from './real-folder.ts'

/** Limit: bytes of a checkpoint in a folder. A larger file is not read. */
const MAX_CHECKPOINT_BYTES = 64 * 1024
/** Errors that are expected when removing a folder: it contains other files, or another process removed it. */
const KEEPS_FOLDER = ['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOENT']
/** Limit: depth of folders below a destination's own that are searched for files; deeper ones are not ours, and stay. */
const MAX_DEPTH = 4

/** The folder that a `file:` address names. It must be inside the app's folder below the one that the operator allowed. */
export function folderOf(url: URL, allowed: string | undefined, appId: string): { folder: string; allowed: string } {
  const bad = (why: string) => invalidInput('bad_body', 'url', `${why}.`)
  if (allowed === undefined) throw bad('folders cannot be used here; the operator has not set TRIBUTARY_FILES')
  if (url.host !== '' || url.search !== '' || url.hash !== '') throw bad('must look like file:///folder')
  let folder: string
  try {
    folder = resolve(fileURLToPath(url))
  } catch {
    // An escaped slash, or a % that does not start an escape sequence.
    throw bad('must look like file:///folder')
  }
  if (folder.includes('\0') || !isInside(join(resolve(allowed), appId), folder))
    throw bad(`must lie in the app's own folder, ${appId} in the folder that the operator set (TRIBUTARY_FILES)`)
  return { folder, allowed }
}

/** Limit: attempts to write a file whose folder is removed at the same time. */
const PUT_ATTEMPTS = 20

/** Objects as files. Writes are atomic and durable: a file has its whole content or does not exist, also after a power failure. */
export function folderStore(folder: string, allowed: string): ObjectStore {
  const pathOf = (name: string) => join(folder, name)
  const find = (path: string) => realFolder(resolve(allowed), path, false)
  /** Whether the file was written; false when the folder was removed before. */
  const putOnce = async (path: string, body: Uint8Array) => {
    const parent = await realFolder(resolve(allowed), dirname(path), true)
    if (parent === undefined) return false
    await writeAtomically(parent, basename(path), body)
    return true
  }
  return {
    put: async (name, body) => {
      const path = pathOf(name)
      for (let attempt = 1; attempt < PUT_ATTEMPTS; attempt += 1)
        // False: an erasure removed the folder during the write.
        if (await unlessMissing(() => putOnce(path, body), false)) return
      if (!(await putOnce(path, body)))
        throw new DeliveryError('retry', `The folder of ${name} is removed again and again.`)
    },
    get: async (name) => {
      const parent = await find(dirname(pathOf(name)))
      return parent === undefined ? undefined : readSmall(join(parent, basename(name)))
    },
    pages: async function* pages(prefix, size) {
      const top = await find(pathOf(prefix))
      if (top === undefined) return
      let names: string[] = []
      for await (const path of filesIn(top, MAX_DEPTH)) {
        names.push(prefix + path.slice(top.length + 1))
        if (names.length < size) continue
        yield names
        names = []
      }
      yield names
    },
    remove: async (name) => {
      const parent = await find(dirname(pathOf(name)))
      if (parent === undefined) return
      await rm(join(parent, basename(name)), { force: true })
      // The name of an empty folder would still identify the profile.
      await rmdir(parent).catch((error: unknown) => {
        if (!KEEPS_FOLDER.includes(codeOf(error) ?? '')) throw error
      })
    },
    close: () => {},
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Files only: links are not followed. Files and folders may be removed during the listing. */
async function* filesIn(folder: string, depth: number): AsyncGenerator<string> {
  const entries = await unlessMissing(() => opendir(folder), undefined)
  if (entries === undefined) return
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield path
    else if (entry.isDirectory() && depth > 0) yield* filesIn(path, depth - 1)
  }
}

async function readSmall(path: string): Promise<string | undefined> {
  // Does not follow a link, and does not wait for the writer of a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await unlessMissing(() => open(path, flags), undefined)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: Number.POSITIVE_INFINITY }))
    if (size > MAX_CHECKPOINT_BYTES) throw new DeliveryError('retry', 'A checkpoint must be a small regular file.')
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Writes a temporary file and renames it. */
async function writeAtomically(parent: string, name: string, body: Uint8Array): Promise<void> {
  const temporary = join(parent, `${name}.${randomUUID()}.tmp`)
  try {
    await writeDurably(temporary, body)
    await rename(temporary, join(parent, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // A folder that was removed since needs no flush.
  await unlessMissing(() => flushFolder(parent), undefined)
}

async function writeDurably(path: string, body: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o640)
  try {
    await file.writeFile(body)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function unlessMissing<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return otherwise
    throw error
  }
}
