import type { LoopName, OnPlanned } from '../../../src/boot/planning-loop.ts'
import { until } from '../until.ts'
import type { Sql } from './sql.ts'

/** The queues that each loop fills. */
const QUEUES: Record<LoopName, string[]> = {
  syncs: ['sync', 'alone'],
  deliveries: ['deliver', 'alone'],
  deletions: [],
  rereads: [],
  hooks: [],
}

/** How often a loop has looked for due work. */
interface Looks {
  all: number
  /** The number of the last look that found something. */
  lastFound: number
}

export interface Planner {
  /** Must be called after each planning of a loop. */
  onPlanned: OnPlanned
  /** Resolves when two more looks in a row found nothing due and no job is open: what has not happened, will not. */
  idle: (loop: LoopName, sql: Sql, wake: () => void) => Promise<void>
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
    idle: async (loop, sql, wake) => {
      // A look in progress may have begun before the last step of the test.
      const from = of(loop).all + 1
      await until(`two looks for due ${loop} found nothing`, async () => {
        // A loop that has nothing to do would sleep longer than a test needs to wait.
        wake()
        const isOpen = (await openJobs(sql, QUEUES[loop])) > 0
        const { all, lastFound } = of(loop)
        return !isOpen && all - Math.max(from, lastFound) >= 2
      })
    },
  }
}

async function openJobs(sql: Sql, queues: string[]): Promise<number> {
  const [row] = await sql<{ n: number }>(
    `select count(*)::int as n from engine.job where name = any($1) and state in ('created', 'retry', 'active')`,
    [queues],
  )
  return row!.n
}
