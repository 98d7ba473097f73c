import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { codeOf } from '#platform/errors.ts'
import { DeliveryError } from '../contract.ts'

/**
 * Resolves a folder below the allowed one. No folder on the path may be a link: a process that can write there could redirect
 * us outside, also after the address was checked, so this runs before every read, write and removal. Returns undefined when the
 * folder is missing: it is not to be created, or an erasure removed it meanwhile.
 */
export async function realFolder(allowed: string, folder: string, create: boolean): Promise<string | undefined> {
  if (create) await mkdir(allowed, { recursive: true, mode: 0o750 })
  let path = await realpathIfPresent(allowed)
  if (path === undefined) return undefined
  const names = relative(allowed, folder)
    .split(sep)
    .filter((name) => name !== '')
  for (const name of names) {
    path = join(path, name)
    if (create) await createFolder(path)
    const kind = await kindOf(path)
    if (kind === 'missing') return undefined
    if (kind === 'link') throw new DeliveryError('retry', `The folder is refused: ${name} is a link.`)
    if (kind === 'other') throw new DeliveryError('retry', `ENOTDIR: ${name} is not a folder.`)
  }
  // A folder may be removed at any time, also since it was looked at above.
  const found = await realpathIfPresent(path)
  if (found !== undefined && found !== path)
    throw new DeliveryError('retry', 'The folder is refused: it leads through a link.')
  return found
}

async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o750 })
  } catch (error) {
    // ENOENT: the folder above was removed meanwhile.
    if (!['EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error
  }
}

async function kindOf(path: string): Promise<'folder' | 'link' | 'other' | 'missing'> {
  try {
    const found = await lstat(path)
    if (found.isSymbolicLink()) return 'link'
    return found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'missing'
    throw error
  }
}

async function realpathIfPresent(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
