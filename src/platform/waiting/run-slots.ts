import { abortableSleep } from './abortable-sleep.ts'

/** How many runs of one kind a process has in progress, with what is needed to end them. */
export interface RunSlots {
  /** None once it drains. */
  free: () => number
  open: () => number
  isRunning: (key: string) => boolean
  /** For how long every slot has been in use, in milliseconds. */
  fullMs: () => number
  /** Resolves when a slot is free, or when nothing begins any more. */
  freed: () => Promise<void>
  /** Begins a run, which reports its own failure. */
  start: (key: string, run: (signal: AbortSignal) => Promise<void>) => void
  /**
   * Begins nothing more, waits up to `graceMs` for the runs, aborts those that are left and waits a little longer. Returns the keys
   * of those that did not end.
   */
  drain: (graceMs: number) => Promise<string[]>
}

/** For aborted runs to end. */
const ABORT_GRACE_MS = 1000

export function createRunSlots(slots: number): RunSlots {
  const running = new Map<string, { controller: AbortController; done: Promise<void> }>()
  let isDraining = false
  let fullSince: number | undefined
  let waiting: (() => void)[] = []

  const noteRoom = () => {
    if (running.size < slots) fullSince = undefined
    else fullSince ??= performance.now()
    if (running.size >= slots && !isDraining) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const endWithin = async (ms: number) => {
    const over = new AbortController()
    const all = Promise.all([...running.values()].map(({ done }) => done))
    await Promise.race([all, abortableSleep(ms, over.signal)])
    over.abort()
  }
  return {
    free: () => (isDraining ? 0 : slots - running.size),
    open: () => running.size,
    isRunning: (key) => running.has(key),
    fullMs: () => (fullSince === undefined ? 0 : performance.now() - fullSince),
    freed: async () => {
      if (running.size >= slots && !isDraining) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    start: (key, run) => {
      const controller = new AbortController()
      const end = () => {
        running.delete(key)
        noteRoom()
      }
      running.set(key, { controller, done: run(controller.signal).then(end, end) })
      noteRoom()
    },
    drain: async (graceMs) => {
      isDraining = true
      noteRoom()
      await endWithin(graceMs)
      for (const { controller } of running.values()) controller.abort()
      await endWithin(ABORT_GRACE_MS)
      return [...running.keys()]
    },
  }
}
