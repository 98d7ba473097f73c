import { setImmediate } from 'node:timers/promises'

/** So long may one piece of work hold the loop that answers requests. */
const TURN_MS = 10

/** Called between the pieces of long work: lets others have their turn when this one has lasted long enough. */
export function takingTurns(sliceMs = TURN_MS): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < sliceMs) return undefined
    return setImmediate().then(() => {
      since = performance.now()
    })
  }
}
