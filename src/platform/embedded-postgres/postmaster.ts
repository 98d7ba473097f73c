import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../errors.ts'
import type { Log } from '../telemetry/log.ts'
import type { Binaries } from './binaries.ts'
import { CHILD_ENVIRONMENT } from './cluster.ts'
import { isDiskFull } from './disk.ts'
import { binariesRefused, damaged, diskFull, folderClosed, tooSlow } from './failures.ts'
import type { DataFolder } from './layout.ts'
import { logTail, openLog, sizeOf } from './log-file.ts'
import { POSTMASTER_PID, readPostmasterPid } from './postmaster-pid.ts'
import { processesIn, runsIn, signal } from './processes.ts'
import { identity } from './service-user.ts'
import { type Listen, postmasterArguments, SOCKET_PORT } from './settings.ts'

const POLL_MS = 20
const START_TRIES = 5
/** Replaying the log after a crash may take minutes; after this time, something hangs. */
export const READY_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000
const ORPHAN_TIMEOUT_MS = 5000
/** Limit: bytes of a socket's path; for a longer one the embedded database listens on a loopback port. */
const MAX_SOCKET_PATH_BYTES = 100

/** Starts a postmaster and waits until it is ready. Call only under the lock, and when none runs. */
export async function startPostmaster(dataFolder: DataFolder, binaries: Binaries, log: Log): Promise<void> {
  for (let tries = 1; ; tries++) {
    const oldPort = (await readPostmasterPid(dataFolder.cluster))?.port
    await removeRemains(dataFolder)
    const listen = await chooseListen(dataFolder, tries === 1 ? oldPort : undefined)
    const failure = await launch(dataFolder, binaries, listen, log)
    if (failure === undefined) return
    if (tries === START_TRIES || !isTemporary(failure)) throw await explainExit(dataFolder, binaries, failure)
    await sleep(POLL_MS * 10)
  }
}

/** Fast shutdown: closes sessions and writes everything, so that nothing is left to replay. Call only under the lock. */
export async function stopPostmaster(dataFolder: DataFolder, log: Log): Promise<void> {
  const postmaster = await readPostmasterPid(dataFolder.cluster)
  if (postmaster === undefined || !(await runsIn(postmaster.pid, dataFolder.cluster))) return
  signal(postmaster.pid, 'SIGINT')
  if (await exitedWithin(dataFolder, [postmaster.pid], STOP_TIMEOUT_MS)) return
  log.warn('PostgreSQL does not stop; it is stopped immediately and will replay its log at the next start.')
  signal(postmaster.pid, 'SIGQUIT')
  await exitedWithin(dataFolder, [postmaster.pid], ORPHAN_TIMEOUT_MS)
}

async function launch(
  dataFolder: DataFolder,
  binaries: Binaries,
  listen: Listen,
  log: Log,
): Promise<string | undefined> {
  const logBytes = await sizeOf(dataFolder.logFile)
  const child = await spawnPostmaster(dataFolder, binaries, listen)
  const beganAt = performance.now()
  let hasLogged = false
  for (;;) {
    const postmaster = await readPostmasterPid(dataFolder.cluster)
    if (postmaster?.pid === child.pid && postmaster?.ready === true) return undefined
    // Not by the event: a damaged folder ends it so quickly that the event may come before anyone listens.
    if (child.exitCode !== null || child.signalCode !== null)
      return (await logTail(dataFolder.logFile, logBytes)) || 'it stopped without a message.'
    const waitedMs = performance.now() - beganAt
    if (waitedMs > READY_TIMEOUT_MS) throw tooSlow('PostgreSQL was not ready', waitedMs, dataFolder.logFile)
    if (waitedMs > 5000 && !hasLogged) log.info('PostgreSQL is replaying its log after a crash; this may take a while.')
    hasLogged ||= waitedMs > 5000
    await sleep(POLL_MS)
  }
}

async function spawnPostmaster(dataFolder: DataFolder, binaries: Binaries, listen: Listen): Promise<ChildProcess> {
  const logFile = await openLog(dataFolder.logFile)
  try {
    if (dataFolder.owner !== undefined) await logFile.chown(dataFolder.owner.uid, dataFolder.owner.gid)
    return await new Promise<ChildProcess>((resolve, reject) => {
      // In its own session, so that Ctrl-C at the terminal does not stop it before this process has drained.
      const child = spawn(binaries.postgres, postmasterArguments(dataFolder.cluster, listen), {
        ...identity(dataFolder.serviceUser),
        cwd: dataFolder.cluster,
        detached: true,
        env: CHILD_ENVIRONMENT,
        stdio: ['ignore', logFile.fd, logFile.fd],
      })
      child.unref()
      child.once('spawn', () => resolve(child))
      child.once('error', (error) => reject(binariesRefused(binaries.postgres, reasonOf(error), error)))
    })
  } finally {
    await logFile.close()
  }
}

// PostgreSQL cleans up after a dead postmaster itself, except when another process now has the same process id.
async function removeRemains(dataFolder: DataFolder): Promise<void> {
  const orphans = await processesIn(dataFolder.cluster)
  for (const pid of orphans) signal(pid, 'SIGQUIT')
  if (!(await exitedWithin(dataFolder, orphans, ORPHAN_TIMEOUT_MS))) {
    for (const pid of orphans) signal(pid, 'SIGKILL')
    await exitedWithin(dataFolder, orphans, ORPHAN_TIMEOUT_MS)
  }
  const remains = await readPostmasterPid(dataFolder.cluster)
  if (remains !== undefined && signal(remains.pid, 0))
    await rm(join(dataFolder.cluster, POSTMASTER_PID), { force: true })
  const socket = join(dataFolder.socketFolder, `.s.PGSQL.${SOCKET_PORT}`)
  await rm(socket, { force: true })
  await rm(`${socket}.lock`, { force: true })
}

async function exitedWithin(dataFolder: DataFolder, pids: number[], timeoutMs: number): Promise<boolean> {
  const beganAt = performance.now()
  for (;;) {
    const running = await Promise.all(pids.map((pid) => runsIn(pid, dataFolder.cluster)))
    if (!running.includes(true)) return true
    if (performance.now() - beganAt > timeoutMs) return false
    await sleep(POLL_MS)
  }
}

async function chooseListen(dataFolder: DataFolder, preferredPort: number | undefined): Promise<Listen> {
  const socket = join(dataFolder.socketFolder, `.s.PGSQL.${SOCKET_PORT}`)
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES) return { socketFolder: dataFolder.socketFolder }
  return { port: (await freePort(preferredPort ?? 0)) ?? (await freePort(0)) ?? SOCKET_PORT }
}

// The port of the last run is preferred, so that the URLs of running processes stay valid.
function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined))
    })
  })
}

function isTemporary(failure: string): boolean {
  return /pre-existing shared memory block|lock file .* already exists|could not (bind|create any)/.test(failure)
}

async function explainExit(dataFolder: DataFolder, binaries: Binaries, failure: string): Promise<Error> {
  if (await isDiskFull(dataFolder.home, failure)) return diskFull(dataFolder.home)
  if (failure.includes('error while loading shared libraries')) return binariesRefused(binaries.postgres, failure)
  if (
    dataFolder.serviceUser !== undefined &&
    /could not (access|change|open) director.*Permission denied/.test(failure)
  ) {
    return folderClosed(dataFolder)
  }
  return damaged(dataFolder, 'it stopped while starting.', failure)
}
