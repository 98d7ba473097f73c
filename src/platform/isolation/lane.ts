import { type Death, type DeathReason, WorkerDied, type WorkerLimits } from './protocol.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

export interface LaneOptions {
  name: string
  /** The worker's entry module. */
  entry: string
  /** What a worker is booted with. */
  boot: () => unknown
  limits: WorkerLimits
  /** Whether the worker always runs, or only while there is work. */
  isPermanent: boolean
  /** Handles the jobs that the worker ran, before the next worker starts. */
  onDeath: (lane: string, death: Death) => Promise<void>
  /** What the worker has written. */
  onWritten: (names: string[]) => void
}

export interface LaneView {
  lane: string
  pid: number | undefined
  /** It has booted and accepts tasks. */
  ready: boolean
  memoryBytes: number
  held: number
  deaths: { reason: DeathReason; count: number }[]
}

/** One worker process for one kind of work: started, watched, and restarted after it died. */
export interface Lane {
  /** Starts the worker unless it runs. */
  ensure: () => void
  /** Tells the worker, if it runs, what others have written. */
  tell: (names: string[]) => void
  run: (name: string, input: unknown, signal?: AbortSignal) => Promise<unknown>
  view: () => LaneView
  /** The last report of every worker: those that ended, and the running one. */
  reports: () => unknown[]
  stop: (graceMs: number) => Promise<void>
}

interface PendingTask {
  name: string
  input: unknown
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

const FIRST_WAIT_MS = 250
/** Limit: wait before restarting a worker that died before it did anything; waits double up to this. */
const MAX_WAIT_MS = 30_000
const IDLE_MS = 60_000
/** Limit: reports of ended workers, which are kept so that counters do not decrease; the oldest is dropped. */
const MAX_OLD_REPORTS = 100

export function createLane({ name, entry, boot, limits, isPermanent, onDeath, onWritten }: LaneOptions): Lane {
  const tasks = new Map<number, PendingTask>()
  const deaths = new Map<DeathReason, number>()
  const oldReports: unknown[] = []
  let worker: WorkerProcess | undefined
  let isReady = false
  let report: unknown
  let lastTask = 0
  let waitMs = 0
  let restarting: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let closed = false
  let settling: Promise<void> = Promise.resolve()

  function start(): void {
    restarting = undefined
    if (closed || worker !== undefined) return
    isReady = false
    worker = startWorkerProcess(entry, boot(), limits, {
      ready: () => {
        isReady = true
        for (const [id, task] of tasks) sendTask(id, task)
      },
      report: (received) => {
        report = received
        waitMs = 0
      },
      result: (id, outcome) => {
        const task = tasks.get(id)
        tasks.delete(id)
        if ('value' in outcome) task?.resolve(outcome.value)
        else task?.reject(new Error(outcome.failure))
        stopWhenIdle()
      },
      written: onWritten,
      ended,
    })
  }

  const sendTask = (id: number, { name: task, input }: PendingTask) =>
    worker?.order({ kind: 'task', id, name: task, input })

  function ended(death: Death | undefined): void {
    worker = undefined
    isReady = false
    if (report !== undefined) oldReports.push(report)
    if (oldReports.length > MAX_OLD_REPORTS) oldReports.shift()
    report = undefined
    const lost = [...tasks.values()]
    tasks.clear()
    for (const { reject } of lost)
      reject(new WorkerDied(death ?? { reason: 'crashed', detail: 'The worker was stopped.' }))
    if (death === undefined) return
    deaths.set(death.reason, (deaths.get(death.reason) ?? 0) + 1)
    const didNothing = death.held.length === 0 && lost.length === 0
    waitMs = didNothing ? Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2)) : FIRST_WAIT_MS
    // The jobs are marked first, so that the next worker does not run the same ones together.
    settling = onDeath(name, death).then(() => {
      if (closed || (!isPermanent && tasks.size === 0)) return
      restarting ??= setTimeout(start, waitMs)
    })
  }

  /** Stops a worker that is not permanent when it has no work, because an idle process costs tens of megabytes. */
  function stopWhenIdle(): void {
    clearTimeout(idle)
    if (isPermanent || closed) return
    idle = setTimeout(() => {
      if (tasks.size > 0 || (worker?.held() ?? 0) > 0) return stopWhenIdle()
      void worker?.stop(limits.stallMs)
    }, IDLE_MS).unref()
  }

  const ensure = () => {
    if (worker === undefined && restarting === undefined) void settling.then(start)
    stopWhenIdle()
  }

  return {
    ensure,
    tell: (names) => worker?.order({ kind: 'written', names }),
    run: (task, input, signal) => {
      if (closed) return Promise.reject(new WorkerDied({ reason: 'crashed', detail: 'The service is stopping.' }))
      signal?.throwIfAborted()
      const id = (lastTask += 1)
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          worker?.order({ kind: 'cancel', id })
          tasks.delete(id)
          reject(signal?.reason instanceof Error ? signal.reason : new Error('The caller disconnected'))
        }
        const settled = <Value>(settle: (value: Value) => void) => {
          return (value: Value) => {
            signal?.removeEventListener('abort', onAbort)
            settle(value)
          }
        }
        const pending = { name: task, input, resolve: settled(resolve), reject: settled(reject) }
        tasks.set(id, pending)
        signal?.addEventListener('abort', onAbort, { once: true })
        if (isReady) sendTask(id, pending)
        else ensure()
      })
    },
    view: () => ({
      lane: name,
      pid: worker?.pid,
      ready: isReady,
      memoryBytes: worker?.memoryBytes() ?? 0,
      held: worker?.held() ?? 0,
      deaths: [...deaths].map(([reason, count]) => ({ reason, count })),
    }),
    reports: () => [...oldReports, ...(report === undefined ? [] : [report])],
    stop: async (graceMs) => {
      closed = true
      clearTimeout(restarting)
      clearTimeout(idle)
      await worker?.stop(graceMs)
      await settling
    },
  }
}
