import type { LoopName, OnPlanned } from '../../../src/boot/planning-loop.ts'
import { until } from '../until.ts'

/** The loops that begin runs of the same work: what a worker died with is found by a loop of its own. */
const ALSO: Partial<Record<LoopName, LoopName[]>> = { syncs: ['alone'], deliveries: ['alone'] }

/** How often a loop has looked for due work. */
interface Looks {
  all: number
  /** The number of the last look that found something, or runs in progress. */
  lastFound: number
}

export interface Planner {
  /** Must be called after each planning of a loop. */
  onPlanned: OnPlanned
  /** Resolves when two more looks in a row found nothing due and no run in progress: what has not happened, will not. */
  idle: (loop: LoopName, wake: () => void) => Promise<void>
}

/** Counts how often the service in this process looks for due work, so that a test can show that nothing happens. */
export function watchPlanner(): Planner {
  const looks = new Map<LoopName, Looks>()
  const of = (loop: LoopName) => looks.get(loop) ?? { all: 0, lastFound: 0 }
  return {
    onPlanned: (loop, found) => {
      const { all, lastFound } = of(loop)
      looks.set(loop, { all: all + 1, lastFound: found > 0 ? all + 1 : lastFound })
    },
    idle: async (loop, wake) => {
      // A look in progress may have begun before the last step of the test.
      const from = [loop, ...(ALSO[loop] ?? [])].map((name) => ({ name, at: of(name).all + 1 }))
      await until(`two looks for due ${loop} found nothing`, () => {
        // A loop that has nothing to do would sleep longer than a test needs to wait.
        wake()
        return from.every(({ name, at }) => of(name).all - Math.max(at, of(name).lastFound) >= 2)
      })
    },
  }
}
