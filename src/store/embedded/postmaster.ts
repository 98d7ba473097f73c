import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '#base/errors.ts'
import type { Log } from '#base/log.ts'
import type { Binaries } from './binaries.ts'
import { CHILD_ENVIRONMENT } from './cluster.ts'
import { isDiskFull } from './disk.ts'
import { binariesRefused, damaged, diskFull, folderClosed, tooSlow } from './failures.ts'
import type { Place } from './layout.ts'
import { logTail, openLog, sizeOf } from './log-file.ts'
import { POSTMASTER_PID, readPostmasterPid } from './postmaster-pid.ts'
import { processesIn, runsIn, signal } from './processes.ts'
import { identity } from './service-user.ts'
import { type Listen, postmasterArguments, SOCKET_PORT } from './settings.ts'

const POLL_MS = 20
const START_TRIES = 5
/** Replaying the log after a crash may take minutes; past this something hangs. */
export const READY_TIMEOUT_MS = 300_000
const STOP_TIMEOUT_MS = 60_000
const ORPHAN_TIMEOUT_MS = 5000
/** Limit: bytes of a socket's path; for a longer one the embedded database listens on a loopback port. */
const MAX_SOCKET_PATH_BYTES = 100

/** Starts a postmaster and waits until it says that it is ready. Only under the lock, and when none runs. */
export async function startPostmaster(place: Place, binaries: Binaries, log: Log): Promise<void> {
  for (let tries = 1; ; tries++) {
    const oldPort = (await readPostmasterPid(place.cluster))?.port
    await clearRemains(place)
    const listen = await chooseListen(place, tries === 1 ? oldPort : undefined)
    const failure = await launch(place, binaries, listen, log)
    if (failure === undefined) return
    if (tries === START_TRIES || !isPassing(failure)) throw await explainExit(place, binaries, failure)
    await sleep(POLL_MS * 10)
  }
}

/** Fast shutdown: sessions are cut off, everything is written, nothing is left to replay. Only under the lock. */
export async function stopPostmaster(place: Place, log: Log): Promise<void> {
  const postmaster = await readPostmasterPid(place.cluster)
  if (postmaster === undefined || !(await runsIn(postmaster.pid, place.cluster))) return
  signal(postmaster.pid, 'SIGINT')
  if (await goneWithin(place, [postmaster.pid], STOP_TIMEOUT_MS)) return
  log.warn('PostgreSQL does not stop; it is ended at once and replays its log at the next start.')
  signal(postmaster.pid, 'SIGQUIT')
  await goneWithin(place, [postmaster.pid], ORPHAN_TIMEOUT_MS)
}

async function launch(place: Place, binaries: Binaries, listen: Listen, log: Log): Promise<string | undefined> {
  const logBytes = await sizeOf(place.logFile)
  const child = await spawnPostmaster(place, binaries, listen)
  let exited = false
  child.once('exit', () => {
    exited = true
  })
  const beganAt = performance.now()
  let told = false
  for (;;) {
    const postmaster = await readPostmasterPid(place.cluster)
    if (postmaster?.pid === child.pid && postmaster?.ready === true) return undefined
    if (exited) return (await logTail(place.logFile, logBytes)) || 'it ended without a word.'
    const waitedMs = performance.now() - beganAt
    if (waitedMs > READY_TIMEOUT_MS) throw tooSlow('PostgreSQL is not ready', waitedMs, place.logFile)
    if (waitedMs > 5000 && !told) log.info('PostgreSQL replays its log after a crash; this may take a while.')
    told ||= waitedMs > 5000
    await sleep(POLL_MS)
  }
}

async function spawnPostmaster(place: Place, binaries: Binaries, listen: Listen): Promise<ChildProcess> {
  const logFile = await openLog(place.logFile)
  try {
    if (place.owner !== undefined) await logFile.chown(place.owner.uid, place.owner.gid)
    return await new Promise<ChildProcess>((resolve, reject) => {
      // Its own session: an interrupt typed at the terminal must not stop it before we have drained.
      const child = spawn(binaries.postgres, postmasterArguments(place.cluster, listen), {
        ...identity(place.serviceUser),
        cwd: place.cluster,
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

// PostgreSQL clears up after a dead postmaster itself, except where another process has its number by now.
async function clearRemains(place: Place): Promise<void> {
  const orphans = await processesIn(place.cluster)
  for (const pid of orphans) signal(pid, 'SIGQUIT')
  if (!(await goneWithin(place, orphans, ORPHAN_TIMEOUT_MS))) {
    for (const pid of orphans) signal(pid, 'SIGKILL')
    await goneWithin(place, orphans, ORPHAN_TIMEOUT_MS)
  }
  const remains = await readPostmasterPid(place.cluster)
  if (remains !== undefined && signal(remains.pid, 0)) await rm(join(place.cluster, POSTMASTER_PID), { force: true })
  const socket = join(place.socketFolder, `.s.PGSQL.${SOCKET_PORT}`)
  await rm(socket, { force: true })
  await rm(`${socket}.lock`, { force: true })
}

async function goneWithin(place: Place, pids: number[], timeoutMs: number): Promise<boolean> {
  const beganAt = performance.now()
  for (;;) {
    const running = await Promise.all(pids.map((pid) => runsIn(pid, place.cluster)))
    if (!running.includes(true)) return true
    if (performance.now() - beganAt > timeoutMs) return false
    await sleep(POLL_MS)
  }
}

async function chooseListen(place: Place, preferredPort: number | undefined): Promise<Listen> {
  const socket = join(place.socketFolder, `.s.PGSQL.${SOCKET_PORT}`)
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH_BYTES) return { socketFolder: place.socketFolder }
  return { port: (await freePort(preferredPort ?? 0)) ?? (await freePort(0)) ?? SOCKET_PORT }
}

// The port of the last run, if it is still free, keeps the URLs of running processes good.
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

function isPassing(failure: string): boolean {
  return /pre-existing shared memory block|lock file .* already exists|could not (bind|create any)/.test(failure)
}

async function explainExit(place: Place, binaries: Binaries, failure: string): Promise<Error> {
  if (await isDiskFull(place.home, failure)) return diskFull(place.home)
  if (failure.includes('error while loading shared libraries')) return binariesRefused(binaries.postgres, failure)
  if (place.serviceUser !== undefined && /could not (access|change|open) director.*Permission denied/.test(failure)) {
    return folderClosed(place)
  }
  return damaged(place, 'it stops while starting.', failure)
}
