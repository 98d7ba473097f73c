import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so long, or as soon as the signal aborts: whoever pauses in a loop asks the signal next. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
