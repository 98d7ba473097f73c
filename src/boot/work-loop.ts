import { pause } from '#platform/pause.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** After something was found, the next look is soon. */
const BUSY_EVERY_MS = 100

export type LoopName = 'syncs' | 'deletions' | 'deliveries'
export type OnLooked = (loop: LoopName, found: number) => void

interface Loop {
  name: LoopName
  everyMs: number
  /** Gives how much was due. */
  plan: () => Promise<number>
  log: Log
  onLooked: OnLooked | undefined
}

/** A database that is away for a while only delays: the loop goes on when it is back. Gives a function that ends it. */
export function startLoop({ name, everyMs, plan, log, onLooked }: Loop): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const planned = await plan().catch((error: unknown) => {
        log.warn(`planning ${name} failed and goes on`, { error })
        return undefined
      })
      if (planned !== undefined) onLooked?.(name, planned)
      await pause((planned ?? 0) > 0 ? BUSY_EVERY_MS : everyMs, signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
