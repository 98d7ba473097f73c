import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

/** The content of the file `postmaster.pid`. */
export interface PostmasterPid {
  pid: number
  port: number
  /** It listens on a socket in this folder; undefined: on the loopback port. */
  socketFolder: string | undefined
  ready: boolean
}

export const POSTMASTER_PID = 'postmaster.pid'

/** Undefined when the file is missing or incomplete. */
export async function readPostmasterPid(cluster: string): Promise<PostmasterPid | undefined> {
  let text: string
  try {
    text = await readFile(join(cluster, POSTMASTER_PID), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  const [pid, , , port, socketFolder, , , status] = text.split('\n')
  if (!(Number(pid) > 0) || !(Number(port) > 0)) return undefined
  return {
    pid: Number(pid),
    port: Number(port),
    socketFolder: socketFolder || undefined,
    ready: status?.startsWith('ready') ?? false,
  }
}
