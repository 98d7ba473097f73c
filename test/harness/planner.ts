import type { LoopName, OnPlanned } from '../../src/boot/planning-loop.ts'
import type { Sql } from './sql.ts'
import { until } from './until.ts'

/** Which queues a loop fills. */
const QUEUES: Record<LoopName, string[]> = {
  syncs: ['sync', 'alone'],
  deliveries: ['deliver', 'alone'],
  deletions: [],
}

interface Looks {
  all: number
  /** Which of them was the last to find something. */
  lastFound: number
}

export interface Planner {
  onPlanned: OnPlanned
  /** Resolves when, from now on, two looks in a row found nothing due and no job is open: what did not happen by then will not. */
  idle: (loop: LoopName, sql: Sql) => Promise<void>
}

/** Counts the looks of a service in this process for due work, so that a test can show that nothing was done. */
export function watchPlanner(): Planner {
  const looks = new Map<LoopName, Looks>()
  const of = (loop: LoopName) => looks.get(loop) ?? { all: 0, lastFound: 0 }
  return {
    onPlanned: (loop, found) => {
      const { all, lastFound } = of(loop)
      looks.set(loop, { all: all + 1, lastFound: found > 0 ? all + 1 : lastFound })
    },
    idle: async (loop, sql) => {
      // The look that is under way may have begun before what the test did.
      const from = of(loop).all + 1
      await until(`two looks for ${loop} found nothing`, async () => {
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
