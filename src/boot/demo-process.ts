import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { DemoServices } from '#flows/operations/demo-services.ts'
import { SetupError } from '#platform/errors.ts'
import { inheritedFlags } from '#platform/isolation/child-memory.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { tryFileLock } from '#platform/waiting/file-lock.ts'
import { demoClient } from './demo-client.ts'
import { demoFolder, demoSocketFolder, makeDemoFolders } from './demo-folder.ts'

const LAB_ENTRY = join(import.meta.dirname, '../../lab/demo/main.ts')
const RESTART_MS = 1000

/** Where the server is reached, which is known when it listens. */
export interface DemoAddress {
  /** By browsers. */
  baseUrl: string
  /** On this machine. */
  localUrl: string
}

export interface DemoProcess {
  services: DemoServices
  /** Resolves when the services know where the server is, and respond: with whether its address is another than last time. */
  open: (address: DemoAddress) => Promise<{ moved: boolean }>
  stop: () => Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/**
 * Starts the simulated services of the demo in a separate process, which ends with this one and is started again if it fails. One
 * demo at a time uses a data folder: a second one would move the addresses of the first to its own port.
 */
export function startDemoProcess(dataDir: string, log: Log): DemoProcess {
  makeDemoFolders(dataDir)
  const folder = demoFolder(dataDir)
  const addressFile = join(folder, 'address')
  const lock = tryFileLock(join(folder, 'lock'))
  const lastAddress = () => (existsSync(addressFile) ? readFileSync(addressFile, 'utf8').trim() : undefined)
  if (lock === undefined) throw runsAlready(lastAddress())
  let address: DemoAddress | undefined
  let stopping = false
  let current = launch(dataDir)
  watch(current)

  function watch(started: { child: Child }): void {
    void once(started.child, 'exit').then(() => {
      if (stopping || address === undefined) return
      log.error('the demo services ended unexpectedly; they are started again')
      setTimeout(() => {
        if (stopping || address === undefined) return
        current = launch(dataDir)
        watch(current)
        void current.open(address).catch((error: unknown) => log.error('the demo services did not start', { error }))
      }, RESTART_MS)
    })
  }

  return {
    services: demoClient(dataDir),
    open: async (given) => {
      await current.open(given)
      address = given
      const last = lastAddress()
      writeFileSync(addressFile, `${given.baseUrl}\n`)
      return { moved: last !== undefined && last !== given.baseUrl }
    },
    stop: async () => {
      stopping = true
      const { child } = current
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      lock.release()
    },
  }
}

function launch(dataDir: string): { child: Child; open: (address: DemoAddress) => Promise<void> } {
  const child = spawn(
    process.execPath,
    [...inheritedFlags(), LAB_ENTRY, '--folder', demoFolder(dataDir), '--sockets', demoSocketFolder(dataDir)],
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  // The exit says why; writing to a process that ended must not end this one.
  child.stdin.on('error', () => {})
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const isAddressed = new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      if (line === 'addressed') resolve(true)
    })
    void ended.then(() => resolve(false))
  })
  return {
    child,
    open: async (address) => {
      child.stdin.write(`${JSON.stringify(address)}\n`)
      if (await isAddressed) return
      throw new SetupError('The simulated services of the demo did not start; the lines above say why.', {
        code: 'lab_failed',
        help: 'Start without the demo: tributary serve',
      })
    },
  }
}

function runsAlready(address: string | undefined): SetupError {
  return new SetupError(
    `A demo already runs on this data folder${address === undefined ? '' : `: ${address}/demo`}. Nothing was changed.`,
    {
      code: 'demo_running',
      help: 'Use that one, stop it, or choose another data folder for this one: TRIBUTARY_DATA=./data-2',
    },
  )
}
