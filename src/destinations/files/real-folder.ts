import { lstat, mkdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { codeOf } from '#platform/errors.ts'
import { DeliveryError } from '../contract.ts'

/**
 * Where a folder below an allowed one really is. Every folder on the way must be one and no link: whoever can write into it could lead
 * us out, also after the address was checked, so this is asked before each reading, writing and removing. Undefined when it is missing and
 * not to be made.
 */
export async function realFolder(allowed: string, folder: string, make: boolean): Promise<string | undefined> {
  if (make) await mkdir(allowed, { recursive: true, mode: 0o750 })
  let path = await realpathIfThere(allowed)
  if (path === undefined) return undefined
  const names = relative(allowed, folder)
    .split(sep)
    .filter((name) => name !== '')
  for (const name of names) {
    path = join(path, name)
    if (make) await makeFolder(path)
    const kind = await kindOf(path)
    if (kind === 'missing') return undefined
    if (kind === 'link') throw new DeliveryError('retry', `The folder is refused: ${name} is a link.`)
    if (kind === 'other') throw new DeliveryError('retry', `ENOTDIR: ${name} is in the way and no folder.`)
  }
  if ((await realpath(path)) !== path)
    throw new DeliveryError('retry', 'The folder is refused: it leads through a link.')
  return path
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o750 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
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

async function realpathIfThere(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
