import { setImmediate } from 'node:timers/promises'

/** Limit: time for which long work may block the event loop; then it yields. */
const MAX_BLOCKING_MS = 10

/** Returns a function to call between the steps of long work: it yields to the event loop when the work has blocked it long enough. */
export function createYielder(maxBlockingMs = MAX_BLOCKING_MS): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < maxBlockingMs) return undefined
    return setImmediate().then(() => {
      since = performance.now()
    })
  }
}
