import { createSemaphore, type Semaphore } from './semaphore.ts'

/** Runs works of one key one after the other; works of different keys do not wait for each other. */
export interface Turns {
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result>
  /** How many of this key wait or run. */
  waiting(key: string): number
}

export function createTurns(): Turns {
  const queues = new Map<string, { semaphore: Semaphore; length: number }>()
  return {
    waiting: (key) => queues.get(key)?.length ?? 0,
    async take(key, work) {
      const queue = queues.get(key) ?? { semaphore: createSemaphore(1), length: 0 }
      queues.set(key, queue)
      queue.length += 1
      try {
        return await queue.semaphore.run(work)
      } finally {
        queue.length -= 1
        if (queue.length === 0) queues.delete(key)
      }
    },
  }
}
