import { createSemaphore, type Semaphore } from './semaphore.ts'

/** Runs tasks of the same key one after the other; tasks of different keys do not wait for each other. */
export interface KeyedMutex {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** How many tasks of this key wait or run. */
  pending(key: string): number
}

export function createKeyedMutex(): KeyedMutex {
  const entries = new Map<string, { semaphore: Semaphore; pending: number }>()
  return {
    pending: (key) => entries.get(key)?.pending ?? 0,
    async run(key, work) {
      const entry = entries.get(key) ?? { semaphore: createSemaphore(1), pending: 0 }
      entries.set(key, entry)
      entry.pending += 1
      try {
        return await entry.semaphore.run(work)
      } finally {
        entry.pending -= 1
        if (entry.pending === 0) entries.delete(key)
      }
    },
  }
}
