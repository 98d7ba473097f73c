import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf } from '../errors.ts'

const run = promisify(execFile)

/** Whether this process is a PostgreSQL program at work in this folder: a process id alone may have been reused. */
export async function runsIn(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return commandNames(pid, folder)
  try {
    const [here, there, program] = await Promise.all([
      stat(`/proc/${pid}/cwd`),
      stat(folder),
      readFile(`/proc/${pid}/comm`, 'utf8'),
    ])
    // A shell that stands in the folder is not ours to wait for or to end.
    return here.ino === there.ino && here.dev === there.dev && /^(postgres|initdb)\n/.test(program)
  } catch {
    // Gone, a zombie, or of another system user: none of them is our postmaster.
    return false
  }
}

/** Every PostgreSQL process at work in the folder. Empty where the system has no /proc. */
export async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  const found = await Promise.all(pids.map(async (pid) => ((await runsIn(pid, folder)) ? [pid] : [])))
  return found.flat()
}

/** Sends a signal; false when the process is gone. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    // Gone, or the number belongs to a process of somebody else by now.
    if (['ESRCH', 'EPERM'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

async function commandNames(pid: number, folder: string): Promise<boolean> {
  try {
    const { stdout } = await run('ps', ['-p', String(pid), '-o', 'command='])
    return stdout.includes('postgres') && stdout.includes(folder)
  } catch {
    // ps ends with a failure when there is no such process.
    return false
  }
}
