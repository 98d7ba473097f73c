import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf } from '../errors.ts'

const run = promisify(execFile)

/** Whether the process is a PostgreSQL program running in this folder; its id alone may have been reused. */
export async function runsIn(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return isInCommand(pid, folder)
  try {
    const [here, there, program] = await Promise.all([
      stat(`/proc/${pid}/cwd`),
      stat(folder),
      readFile(`/proc/${pid}/comm`, 'utf8'),
    ])
    // A shell whose working directory is the folder must be neither awaited nor killed.
    return here.ino === there.ino && here.dev === there.dev && /^(postgres|initdb)\n/.test(program)
  } catch {
    // Ended, a zombie, or of another system user: not our postmaster.
    return false
  }
}

/** Every PostgreSQL process running in the folder. Empty where the system has no /proc. */
export async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  const found = await Promise.all(pids.map(async (pid) => ((await runsIn(pid, folder)) ? [pid] : [])))
  return found.flat()
}

/** Sends a signal; false when the process has ended. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    // Ended, or the id now belongs to a process of another user.
    if (['ESRCH', 'EPERM'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

async function isInCommand(pid: number, folder: string): Promise<boolean> {
  try {
    const { stdout } = await run('ps', ['-p', String(pid), '-o', 'command='])
    return stdout.includes('postgres') && stdout.includes(folder)
  } catch {
    // ps fails when there is no such process.
    return false
  }
}
