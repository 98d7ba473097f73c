import { type Death, type DeathReason, WorkerDied, type WorkerLimits } from './protocol.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

export interface LaneOptions {
  name: string
  /** The program of the worker. */
  entry: string
  /** What a worker is told at its start. */
  boot: () => unknown
  limits: WorkerLimits
  /** Always running, or only while there is something to do. */
  keep: boolean
  /** Settles what the worker held, before the next one starts. */
  onDeath: (lane: string, death: Death) => Promise<void>
}

export interface LaneView {
  lane: string
  pid: number | undefined
  /** It has booted and takes work. */
  ready: boolean
  memoryBytes: number
  held: number
  deaths: { reason: DeathReason; count: number }[]
}

/** One worker process for one sort of work: started, watched, and started again after it died. */
export interface Lane {
  /** Starts the worker unless it runs. */
  ensure: () => void
  run: (name: string, input: unknown, signal?: AbortSignal) => Promise<unknown>
  view: () => LaneView
  /** Every worker's last report: of those that are gone, and of the one at work. */
  reports: () => unknown[]
  stop: (graceMs: number) => Promise<void>
}

interface Waiting {
  name: string
  input: unknown
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

const FIRST_WAIT_MS = 250
/** Limit: wait before a worker is started again that died before it did anything; the waits grow up to this. */
const MAX_WAIT_MS = 30_000
const IDLE_MS = 60_000
/** Reports of dead workers are kept, so that counters do not go back; the oldest goes first. */
const KEPT_REPORTS = 100

export function createLane({ name, entry, boot, limits, keep, onDeath }: LaneOptions): Lane {
  const tasks = new Map<number, Waiting>()
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
        for (const [id, task] of tasks) give(id, task)
      },
      report: (given) => {
        report = given
        waitMs = 0
      },
      result: (id, outcome) => {
        const task = tasks.get(id)
        tasks.delete(id)
        if ('value' in outcome) task?.resolve(outcome.value)
        else task?.reject(new Error(outcome.failure))
        restWhenIdle()
      },
      ended,
    })
  }

  const give = (id: number, { name: task, input }: Waiting) => worker?.order({ kind: 'task', id, name: task, input })

  function ended(death: Death | undefined): void {
    worker = undefined
    isReady = false
    if (report !== undefined) oldReports.push(report)
    if (oldReports.length > KEPT_REPORTS) oldReports.shift()
    report = undefined
    const lost = [...tasks.values()]
    tasks.clear()
    for (const { reject } of lost)
      reject(new WorkerDied(death ?? { reason: 'crashed', detail: 'Its worker was stopped.' }))
    if (death === undefined) return
    deaths.set(death.reason, (deaths.get(death.reason) ?? 0) + 1)
    const didNothing = death.held.length === 0 && lost.length === 0
    waitMs = didNothing ? Math.min(MAX_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2)) : FIRST_WAIT_MS
    // First the jobs are marked: the next worker must not take the same ones in the same company.
    settling = onDeath(name, death).then(() => {
      if (closed || (!keep && tasks.size === 0)) return
      restarting ??= setTimeout(start, waitMs)
    })
  }

  /** A worker on demand goes when nobody needs it: an idle process costs tens of megabytes. */
  function restWhenIdle(): void {
    clearTimeout(idle)
    if (keep || closed) return
    idle = setTimeout(() => {
      if (tasks.size > 0 || (worker?.held() ?? 0) > 0) return restWhenIdle()
      void worker?.stop(limits.stallMs)
    }, IDLE_MS).unref()
  }

  const ensure = () => {
    if (worker === undefined && restarting === undefined) void settling.then(start)
    restWhenIdle()
  }

  return {
    ensure,
    run: (task, input, signal) => {
      if (closed) return Promise.reject(new WorkerDied({ reason: 'crashed', detail: 'The service is stopping.' }))
      signal?.throwIfAborted()
      const id = (lastTask += 1)
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          worker?.order({ kind: 'cancel', id })
          tasks.delete(id)
          reject(signal?.reason instanceof Error ? signal.reason : new Error('The caller has left'))
        }
        const settled = <Value>(settle: (value: Value) => void) => {
          return (value: Value) => {
            signal?.removeEventListener('abort', onAbort)
            settle(value)
          }
        }
        const waiting = { name: task, input, resolve: settled(resolve), reject: settled(reject) }
        tasks.set(id, waiting)
        signal?.addEventListener('abort', onAbort, { once: true })
        if (isReady) give(id, waiting)
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
