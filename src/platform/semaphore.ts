/** Lets a number of works run at a time; the others wait in the order they came. */
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
        // The permit passes to the next in line, so that nobody who comes just now gets in before.
        const next = waiting.shift()
        if (next === undefined) free += 1
        else next()
      }
    },
  }
}
