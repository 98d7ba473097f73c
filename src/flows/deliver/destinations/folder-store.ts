import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf } from '#base/errors.ts'
import { ApiError } from '#model/errors.ts'
import { DeliveryError } from '../destination.ts'
import type { ObjectStore } from './object-store.ts'

/** The folder that a `file:` address names, if it lies where the operator lets files be written. */
export function folderOf(url: URL, allowed: string | undefined): string {
  const bad = (why: string) => new ApiError('bad_body', `url: ${why}.`)
  if (allowed === undefined) throw bad('folders cannot be used here; the operator has not set TRIBUTARY_FILES')
  if (url.host !== '' || url.search !== '' || url.hash !== '') throw bad('must look like file:///folder')
  let folder: string
  try {
    folder = resolve(fileURLToPath(url))
  } catch {
    throw bad('must look like file:///folder')
  }
  if (folder.includes('\0') || !within(resolve(allowed), folder))
    throw bad('must lie in the folder that the operator set')
  return folder
}

/** Objects as files. A name appears with its whole content or not at all, and stays after a power cut. */
export function folderStore(folder: string, allowed: string): ObjectStore {
  const pathOf = (name: string) => join(folder, name)
  return {
    put: async (name, body) => {
      const path = pathOf(name)
      await mkdir(dirname(path), { recursive: true })
      // Links may lead out of the folder, and may have been made since the address was checked.
      if (!within(await realpath(allowed), await realpath(dirname(path))))
        throw new DeliveryError('retry', 'The folder leads out of what the operator allowed.')
      const fresh = `${path}.${randomUUID()}.tmp`
      try {
        await writeDurably(fresh, body)
        await rename(fresh, path)
      } catch (error) {
        await rm(fresh, { force: true })
        throw error
      }
      await flushFolder(dirname(path))
    },
    get: (name) => unlessMissing(() => readFile(pathOf(name), 'utf8'), undefined),
    list: async (prefix) => {
      const found = await unlessMissing(() => readdir(pathOf(prefix), { recursive: true, withFileTypes: true }), [])
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    },
    remove: async (name) => {
      await rm(pathOf(name), { force: true })
      // An empty folder would still say whose it was.
      await rmdir(dirname(pathOf(name))).catch(() => {})
    },
  }
}

function within(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
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
