import type { Log } from '#base/log.ts'
import { pause } from '#base/pause.ts'

/** After something was found, the next look is soon. */
const BUSY_EVERY_MS = 100

/** A database that is away for a while only delays: the loop goes on when it is back. Gives a function that ends it. */
export function startLoop(what: string, everyMs: number, plan: () => Promise<number>, log: Log): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const planned = await plan().catch((error: unknown) => {
        log.warn(`planning ${what} failed and goes on`, { error })
        return 0
      })
      await pause(planned > 0 ? BUSY_EVERY_MS : everyMs, signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
