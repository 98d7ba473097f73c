import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { reasonOf } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root, so root runs it as this system user. */
export interface ServiceUser {
  uid: number
  gid: number
}

const NAME = 'tributary'
/** Limit: attempts to create the system user; then the user nobody is used. */
const MAX_TRIES = 20
const RETRY_MS = 100
const NOLOGIN = '/usr/sbin/nologin'

const COMMANDS: [string, ...string[]][] = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', NOLOGIN, NAME],
  ['/usr/sbin/useradd', '--system', '--user-group', '--no-create-home', '--shell', NOLOGIN, NAME],
  ['sh', '-c', `addgroup -S ${NAME}; adduser -S -D -H -s /sbin/nologin -G ${NAME} ${NAME}`],
]

/** The system user `tributary`, created if it is missing; `nobody` where it cannot be created. */
export async function ensureServiceUser(log: Log): Promise<ServiceUser> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await lookUp(NAME)
    if (found !== undefined) return found
    if (!(await createUser())) break
    // Another process may have locked the password file, or created the user first.
    await sleep(RETRY_MS)
  }
  const created = await lookUp(NAME)
  if (created !== undefined) return created
  const nobody = await lookUp('nobody')
  if (nobody === undefined)
    throw new Error('No system user could be created for PostgreSQL, and the user nobody does not exist.')
  log.warn(`PostgreSQL runs as the system user nobody, because the system user ${NAME} could not be created.`)
  return nobody
}

/** Why this system user cannot run the program; undefined when it can. */
export async function whyCannotRun(
  user: ServiceUser | undefined,
  program: string,
  parameters: string[],
): Promise<string | undefined> {
  try {
    await run(program, parameters, { cwd: '/', ...identity(user) })
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

export async function canRun(user: ServiceUser | undefined, program: string, parameters: string[]): Promise<boolean> {
  return (await whyCannotRun(user, program, parameters)) === undefined
}

/** Whether this system user may enter the folder. */
export async function canEnter(user: ServiceUser, folder: string): Promise<boolean> {
  return canRun(user, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder])
}

/** The spawn options that run a child as this user. */
export function identity(user: ServiceUser | undefined): { uid?: number; gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid }
}

async function lookUp(name: string): Promise<ServiceUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    // id fails when there is no such user.
    return undefined
  }
}

// True when one of the commands exists, even if it failed: it also fails when another process was faster.
async function createUser(): Promise<boolean> {
  for (const [program, ...parameters] of COMMANDS) {
    try {
      await run(program, parameters)
      return true
    } catch (error) {
      if (error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 126) return true
    }
  }
  return false
}
