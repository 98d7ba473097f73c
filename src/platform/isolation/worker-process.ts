import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { inheritedFlags } from './child-memory.ts'
import type { Death, DeathReason, HeldJob, Notice, Order, WorkerLimits } from './protocol.ts'
import { residentBytes } from './resident-memory.ts'

export interface WorkerEvents {
  ready: () => void
  result: (id: number, outcome: { value: unknown } | { failure: string }) => void
  report: (report: unknown) => void
  written: (names: string[]) => void
  /** Undefined: it stopped on order. */
  ended: (death: Death | undefined) => void
}

export interface WorkerProcess {
  pid: number | undefined
  memoryBytes: () => number
  held: () => number
  order: (order: Order) => void
  /** Orders it to stop, and kills it after `graceMs`. */
  stop: (graceMs: number) => Promise<void>
}

const WATCH_MS = 500
const MB = 1024 * 1024

interface WatchedJob extends HeldJob {
  lastStepAtMs: number
}

/** Starts a process and kills it when it stalls, exceeds its memory, or one of its jobs makes no progress. */
export function startWorkerProcess(
  entry: string,
  boot: unknown,
  limits: WorkerLimits,
  on: WorkerEvents,
): WorkerProcess {
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${Math.ceil(limits.memoryBytes / MB)}`, ...inheritedFlags()],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const held = new Map<string, WatchedJob>()
  const startedAtMs = performance.now()
  let beatAtMs: number | undefined
  let watchedAtMs = startedAtMs
  let memoryBytes = 0
  let killedFor: { reason: DeathReason; detail: string } | undefined
  let stopping = false

  const kill = (reason: DeathReason, detail: string) => {
    killedFor ??= { reason, detail }
    child.kill('SIGKILL')
  }

  function watch(): void {
    const nowMs = performance.now()
    // A pause of this process, such as a suspended machine, must not count against the worker.
    const late = nowMs - watchedAtMs - WATCH_MS
    watchedAtMs = nowMs
    if (late > limits.stallMs / 4) {
      if (beatAtMs !== undefined) beatAtMs = nowMs
      for (const job of held.values()) job.lastStepAtMs += late
      return
    }
    memoryBytes = residentBytes(child.pid ?? 0) ?? memoryBytes
    if (memoryBytes > limits.memoryBytes)
      return kill('memory', `It used ${Math.round(memoryBytes / MB)} MB; ${limits.memoryBytes / MB} MB are allowed.`)
    if (beatAtMs === undefined) {
      if (nowMs - startedAtMs > limits.bootMs) kill('not_started', `It was not ready after ${limits.bootMs / 1000} s.`)
      return
    }
    if (nowMs - beatAtMs > limits.stallMs) return kill('stalled', `It did not respond for ${limits.stallMs / 1000} s.`)
    if ([...held.values()].some(({ lastStepAtMs }) => nowMs - lastStepAtMs > limits.jobMs))
      kill('overtime', `A job made no progress for ${limits.jobMs / 60_000} minutes.`)
  }
  const watching = setInterval(watch, WATCH_MS)

  child.on('message', (notice: Notice) => {
    if (notice.kind === 'ready') {
      beatAtMs = performance.now()
      on.ready()
    } else if (notice.kind === 'beat') {
      beatAtMs = performance.now()
      memoryBytes = notice.memoryBytes
      on.report(notice.report)
    } else if (notice.kind === 'begin')
      held.set(notice.job, { subject: notice.subject, step: '', lastStepAtMs: performance.now() })
    else if (notice.kind === 'step')
      Object.assign(held.get(notice.job) ?? {}, { step: notice.step, lastStepAtMs: performance.now() })
    else if (notice.kind === 'end') held.delete(notice.job)
    else if (notice.kind === 'written') on.written(notice.names)
    else if (notice.kind === 'result') on.result(notice.id, { value: notice.value })
    else on.result(notice.id, { failure: notice.message })
  })
  let hasEnded = false
  const ended = (how: string) => {
    if (hasEnded) return
    hasEnded = true
    clearInterval(watching)
    if (stopping && killedFor === undefined) return on.ended(undefined)
    const { reason, detail } = killedFor ?? { reason: 'crashed' as const, detail: how }
    on.ended({ reason, detail, held: [...held.values()].map(({ subject, step }) => ({ subject, step })) })
  }
  child.once('error', (error) => ended(`It could not be started: ${error.message}`))
  // On 'close' rather than 'exit', so that messages sent before the end are processed first.
  child.once('close', (code, signal) => ended(`It ended unexpectedly (${signal ?? `exit code ${code}`}).`))

  const send = (order: Order) => {
    // A worker that has just died is reported by its `close` event.
    if (child.connected) child.send(order, undefined, {}, () => {})
  }
  send({ kind: 'boot', boot })
  return {
    pid: child.pid,
    memoryBytes: () => memoryBytes,
    held: () => held.size,
    order: send,
    stop: (graceMs) => {
      stopping = true
      return stop(child, graceMs, send)
    },
  }
}

async function stop(child: ChildProcess, graceMs: number, send: (order: Order) => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const closed = once(child, 'close')
  send({ kind: 'stop' })
  const killTimer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await closed
  clearTimeout(killTimer)
}
