import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { processesIn } from '#platform/embedded-postgres/processes.ts'
import { until } from '../harness/until.ts'

export const isRoot = process.getuid?.() === 0
export const PASSWORD = "p w%/'x"

const PROGRAM = fileURLToPath(new URL('holder.ts', import.meta.url))

export interface Reply {
  started?: string
  url?: string
  log?: string[]
  rows?: Record<string, unknown>[]
  released?: boolean
  error?: string
  code?: string
  help?: string
}

/** A process that holds the database of `dataDir`. */
export interface Holder {
  child: ChildProcessWithoutNullStreams
  /** What it printed when it had opened the database, or failed to. */
  opened: Promise<Reply>
  send(command: string): Promise<Reply>
  /** Releases the database and waits until the process has ended. */
  leave(): Promise<void>
  kill(): Promise<void>
}

export interface Fixture {
  folder: string
  dataDir: string
  cluster: string
  systemDir: string
  hold: (options?: { password?: string; uid?: number; gid?: number; dataDir?: string }) => Holder
  /** Kills every process of the database, like a power cut. */
  killPostgres: () => Promise<void>
}

/** A temporary folder; after the test, everything still running in it is killed and the folder removed. */
export async function fixture(t: TestContext, below = 'data'): Promise<Fixture> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tributary-embedded-')))
  await chmod(folder, 0o755)
  const dataDir = join(folder, below)
  const systemDir = join(folder, 'system')
  const holders: Holder[] = []
  const homes = () => [join(dataDir, 'postgres'), movedTo(dataDir)].filter((home) => home !== undefined)
  const killPostgres = async () => {
    for (const home of homes()) await killAllIn(join(home, 'data'))
  }
  t.after(async () => {
    await Promise.all(holders.map((holder) => holder.kill()))
    await killPostgres()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  return {
    folder,
    dataDir,
    systemDir,
    cluster: join(dataDir, 'postgres/data'),
    killPostgres,
    hold(options = {}) {
      const holder = hold({ dataDir, systemDir, password: PASSWORD, ...options })
      holders.push(holder)
      return holder
    },
  }
}

/** How each of them started, or why it did not, in alphabetical order. */
export function startsOf(responses: Reply[]): string[] {
  return responses.map(({ error, started }) => error ?? started ?? '').sort()
}

/** The machine folder: where root keeps the database when it is not in the data folder. */
export function movedTo(dataDir: string): string | undefined {
  const pointer = join(dataDir, 'postgres/moved-to')
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined
}

async function killAllIn(folder: string): Promise<void> {
  await until(`nothing runs in ${folder}`, async () => {
    const pids = await processesIn(folder)
    for (const pid of pids) tryKill(pid)
    return pids.length === 0
  })
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

function hold(options: { dataDir: string; systemDir: string; password: string; uid?: number; gid?: number }): Holder {
  const { dataDir, password, systemDir, ...identity } = options
  const child = spawn(process.execPath, [PROGRAM, dataDir, password, systemDir], {
    ...identity,
    cwd: '/',
    detached: true,
    stdio: 'pipe',
  })
  child.stderr.pipe(process.stderr)
  child.stdin.on('error', () => {})
  const ended = once(child, 'exit')
  const responses = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { done, value } = await responses.next()
    return done === true ? { error: 'the process ended' } : (JSON.parse(value) as Reply)
  }
  const opened = next()
  const send = async (command: string) => {
    await opened
    child.stdin.write(`${command.replaceAll(/\s+/g, ' ')}\n`)
    return next()
  }
  return {
    child,
    opened,
    send,
    async leave() {
      const response = await send('release')
      if (response.released !== true) throw new Error(response.error)
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
