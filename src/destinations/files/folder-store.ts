import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { open, opendir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '#model/errors.ts'
import { codeOf } from '#platform/errors.ts'
import { DeliveryError } from '../contract.ts'
import type { ObjectStore } from './object-store.ts'
import { realFolder } from './real-folder.ts'

/** Limit: bytes of a checkpoint in a folder. A larger file is not read. */
const MAX_STATE_BYTES = 64 * 1024
/** Why a folder stays: there are other files in it, or somebody else removed it. */
const STILL_NEEDED = ['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOENT']
/** Limit: folders below a destination's own in which files are looked for; deeper ones are not ours, and stay. */
const MAX_DEPTH = 4

/** The folder that a `file:` address names, if it lies in the app's own folder where the operator lets files be written. */
export function folderOf(url: URL, allowed: string | undefined, appId: string): { folder: string; allowed: string } {
  const bad = (why: string) => new ApiError('bad_body', `url: ${why}.`)
  if (allowed === undefined) throw bad('folders cannot be used here; the operator has not set TRIBUTARY_FILES')
  if (url.host !== '' || url.search !== '' || url.hash !== '') throw bad('must look like file:///folder')
  let folder: string
  try {
    folder = resolve(fileURLToPath(url))
  } catch {
    // An escaped slash, or a % that begins no escaped character.
    throw bad('must look like file:///folder')
  }
  if (folder.includes('\0') || !within(join(resolve(allowed), appId), folder))
    throw bad(`must lie in the app's own folder, ${appId} in the folder that the operator set (TRIBUTARY_FILES)`)
  return { folder, allowed }
}

const PUT_TRIES = 5

/** Objects as files. A name appears with its whole content or not at all, and stays after a power cut. */
export function folderStore(folder: string, allowed: string): ObjectStore {
  const pathOf = (name: string) => join(folder, name)
  const find = (path: string) => realFolder(resolve(allowed), path, false)
  return {
    put: async (name, body) => {
      const path = pathOf(name)
      for (let left = PUT_TRIES; ; left -= 1) {
        const parent = (await realFolder(resolve(allowed), dirname(path), true))!
        try {
          return await place(parent, basename(path), body)
        } catch (error) {
          // An erasure took the folder away meanwhile, with what was half written in it.
          if (codeOf(error) !== 'ENOENT' || left === 1) throw error
        }
      }
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
      // An empty folder would still say whose it was.
      await rmdir(parent).catch((error: unknown) => {
        if (!STILL_NEEDED.includes(codeOf(error) ?? '')) throw error
      })
    },
    close: () => {},
  }
}

function within(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Files alone: links are not followed. What is removed meanwhile does no harm. */
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
  // Neither through a link, nor waiting for somebody at the other end of a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await unlessMissing(() => open(path, flags), undefined)
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: Number.POSITIVE_INFINITY }))
    if (size > MAX_STATE_BYTES) throw new DeliveryError('retry', 'A checkpoint is no small file.')
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Under another name first: a name appears with its whole content. */
async function place(parent: string, name: string, body: Uint8Array): Promise<void> {
  const fresh = join(parent, `${name}.${randomUUID()}.tmp`)
  try {
    await writeDurably(fresh, body)
    await rename(fresh, join(parent, name))
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
  // Gone by now, it has nothing to keep.
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
