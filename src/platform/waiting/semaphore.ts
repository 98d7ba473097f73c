/** Limits how many tasks run at a time; the others wait in order of arrival. */
export interface Semaphore {
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createSemaphore(permits: number): Semaphore {
  let free = permits
  const waiting: (() => void)[] = []
  return {
    run: async (work) => {
      if (free > 0) free -= 1
      else await new Promise<void>((resume) => waiting.push(resume))
      try {
        return await work()
      } finally {
        // The permit passes directly to the next waiter, so that a new caller cannot overtake it.
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}
