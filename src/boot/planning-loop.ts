import { abortableSleep } from '#platform/abortable-sleep.ts'
import type { Log } from '#platform/telemetry/log.ts'

/** The interval while there is due work. */
const BUSY_EVERY_MS = 100

export type LoopName = 'syncs' | 'deletions' | 'rereads' | 'hooks' | 'deliveries'
/** Called after each planning with the amount of due work it found. */
export type OnPlanned = (loop: LoopName, due: number) => void

interface Loop {
  name: LoopName
  everyMs: number
  /** Returns how much was due. */
  plan: () => Promise<number>
  log: Log
  onPlanned: OnPlanned | undefined
}

/** Plans again and again; errors, such as an unreachable database, are logged and retried. Returns a function that stops it. */
export function startPlanningLoop({ name, everyMs, plan, log, onPlanned }: Loop): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const due = await plan().catch((error: unknown) => {
        log.warn(`planning ${name} failed and is retried`, { error })
        return undefined
      })
      if (due !== undefined) onPlanned?.(name, due)
      await abortableSleep((due ?? 0) > 0 ? BUSY_EVERY_MS : everyMs, signal)
    }
  }
  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}
