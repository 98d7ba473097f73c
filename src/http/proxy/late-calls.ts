/** Calls that last longer are ended when their access ends. Most are shorter and need not be watched. */
const WATCH_AFTER_MS = 150
const TICK_MS = 50

/** Calls in progress, for what is done only about those that last. */
export interface LateCalls {
  /** `watch` is called when the call has lasted; it returns what ends the watching. Returns what is to be called at the end of the call. */
  add(watch: () => () => void): () => void
}

interface LateCall {
  startedMs: number
  watch: () => () => void
}

/** One timer for all calls, because one for each would cost more than what it is for. It stands still when there are none. */
export function createLateCalls(): LateCalls {
  // In the order in which they began.
  const begun = new Set<LateCall>()
  const ends = new Map<LateCall, () => void>()
  let timer: NodeJS.Timeout | undefined
  const tick = () => {
    const nowMs = performance.now()
    for (const call of begun) {
      if (nowMs - call.startedMs < WATCH_AFTER_MS) break
      begun.delete(call)
      ends.set(call, call.watch())
    }
    timer = begun.size === 0 ? undefined : timer?.refresh()
  }
  return {
    add: (watch) => {
      const call = { startedMs: performance.now(), watch }
      begun.add(call)
      timer ??= setTimeout(tick, TICK_MS).unref()
      return () => {
        begun.delete(call)
        ends.get(call)?.()
        ends.delete(call)
      }
    },
  }
}
