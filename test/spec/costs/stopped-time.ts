import { AsyncResource } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import type { Clock } from '#platform/clock.ts'

/** How often waiting timers are looked at while time runs. */
const LOOK_EVERY_MS = 2
/** While the process gets no processor time, time stands still for it: nothing times out that it had no chance to do. */
const MAX_STEP_MS = 50

interface Timer {
  /** Greater for a timer that was set later. */
  number: number
  dueMs: number
  delayMs: number
  repeats: boolean
  fire: () => void
}

export interface StoppableTime {
  /** Follows the timers: it stands still while they do. */
  clock: Clock
  stop(): void
  run(): void
  /** Moves the clock, and no timer with it: caches expire, and nothing happens. */
  jump(ms: number): void
  /** Fires what is due in the next `ms`, one timer after the other; each has ended everything before the next one begins. */
  pass(ms: number, ended: () => Promise<void>): Promise<void>
  /** A mark for `finish`. */
  mark(): number
  /** Fires each timer once that was set since the mark and waits no longer than `maxMs`. Clock and other timers stay as they are. */
  finish(mark: number, maxMs: number, ended: () => Promise<void>): Promise<void>
  /** Puts the timers of Node back. */
  release(): void
}

/**
 * Replaces the timers of this process, so that a test decides when time passes: loops do not look for work while an operation
 * is counted, and caches do not expire. Timers inside Node, such as those of sockets, stay as they are.
 */
export function takeTime(): StoppableTime {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = timers
  const real = { setTimeout, setInterval, clearTimeout, clearInterval }
  const realPromised = timersPromises.setTimeout
  const waiting = new Set<Timer>()
  /** How each handle is cleared; one that is missing is of a timer that was set before. */
  const handles = new WeakMap<object, () => void>()
  let [nowMs, aheadMs, count] = [0, 0, 0]
  const startedAt = Date.now()

  const set = (work: (...args: unknown[]) => void, delay: unknown, repeats: boolean, args: unknown[]) => {
    count += 1
    const delayMs = Math.max(1, Math.trunc(Number(delay)) || 1)
    const run = AsyncResource.bind(() => work(...args))
    const timer: Timer = { number: count, dueMs: nowMs + delayMs, delayMs, repeats, fire: run }
    waiting.add(timer)
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => false,
      refresh: () => {
        timer.dueMs = nowMs + delayMs
        waiting.add(timer)
        return handle
      },
      close: () => {
        waiting.delete(timer)
        return handle
      },
      [Symbol.dispose]: () => void waiting.delete(timer),
    }
    handles.set(handle, handle.close)
    return handle
  }
  const clear = (handle: unknown) => {
    if (typeof handle === 'object' && handle !== null && handles.has(handle)) handles.get(handle)!()
    else real.clearTimeout(handle as NodeJS.Timeout)
  }
  const promised = <Value>(ms?: number, value?: Value, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise<Value>((resolve, reject) => {
      const abort = () => {
        handle.close()
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'))
      }
      const handle = set(
        () => {
          signal?.removeEventListener('abort', abort)
          resolve(value as Value)
        },
        ms,
        false,
        [],
      )
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })

  const replaced = {
    setTimeout: (work: () => void, ms?: unknown, ...args: unknown[]) => set(work, ms, false, args),
    setInterval: (work: () => void, ms?: unknown, ...args: unknown[]) => set(work, ms, true, args),
    clearTimeout: clear,
    clearInterval: clear,
  }
  const install = (functions: object, sleep: unknown) => {
    for (const target of [globalThis, timers]) Object.assign(target, functions)
    Object.assign(timersPromises, { setTimeout: sleep })
    syncBuiltinESMExports()
  }
  install(replaced, promised)

  const fire = (timer: Timer) => {
    if (timer.repeats) timer.dueMs = nowMs + timer.delayMs
    else waiting.delete(timer)
    timer.fire()
  }
  const first = (timersOf: Iterable<Timer>) =>
    [...timersOf].toSorted((a, b) => a.dueMs - b.dueMs || a.number - b.number)[0]

  let runner: NodeJS.Timeout | undefined
  const run = () => {
    let seenMs = performance.now()
    runner = real.setInterval(() => {
      const ms = performance.now()
      nowMs += Math.min(ms - seenMs, MAX_STEP_MS)
      seenMs = ms
      const due = [...waiting].filter(({ dueMs }) => dueMs <= nowMs)
      for (const timer of due) if (waiting.has(timer)) fire(timer)
    }, LOOK_EVERY_MS)
  }
  const stop = () => real.clearInterval(runner)
  run()

  return {
    clock: { now: () => startedAt + Math.floor(nowMs + aheadMs) },
    stop,
    run,
    jump: (ms) => {
      aheadMs += ms
    },
    pass: async (ms, ended) => {
      const endMs = nowMs + ms
      for (;;) {
        const next = first(waiting)
        if (next === undefined || next.dueMs > endMs) break
        nowMs = Math.max(nowMs, next.dueMs)
        fire(next)
        await ended()
      }
      nowMs = endMs
    },
    mark: () => count,
    finish: async (mark, maxMs, ended) => {
      const set = [...waiting].filter(({ number, delayMs }) => number > mark && delayMs <= maxMs)
      for (const timer of set.toSorted((a, b) => a.dueMs - b.dueMs || a.number - b.number)) {
        if (waiting.has(timer)) fire(timer)
        await ended()
      }
    },
    release: () => {
      stop()
      install(real, realPromised)
    },
  }
}
