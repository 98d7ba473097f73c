import { abortableSleep } from './abortable-sleep.ts'

export interface WakeableSleep {
  /** Ends the current sleep, or else the next one before it begins. */
  wake: () => void
  isWoken: () => boolean
  /** Forgets earlier wake-ups. Called before a look at what they announce, so that one during the look counts. */
  forget: () => void
  sleep: (ms: number) => Promise<void>
}

export function createWakeableSleep(): WakeableSleep {
  let waiting = new AbortController()
  return {
    wake: () => waiting.abort(),
    isWoken: () => waiting.signal.aborted,
    forget: () => {
      if (waiting.signal.aborted) waiting = new AbortController()
    },
    sleep: (ms) => abortableSleep(ms, waiting.signal),
  }
}
