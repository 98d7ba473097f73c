import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '#platform/errors.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { readPrimary, readReplica, replayedUpTo } from '#platform/postgres/replica-position.ts'
import type { Diagnosis } from './diagnosis.ts'

const NAME = 'replica'
/** How long the replica may take to reach the position of the primary. */
const WAIT_MS = 5000
const POLL_MS = 50

/** Checks that `DATABASE_READ_URL` is a replica of this database, and how long it takes to show what the primary has now. */
export async function checkReplica(primary: Queries, replica: Queries): Promise<Diagnosis> {
  try {
    const source = await readPrimary(primary)
    const beganAt = performance.now()
    for (;;) {
      const left = source.lsn - replayedUpTo(source, await readReplica(replica))
      const tookMs = Math.round(performance.now() - beganAt)
      if (left <= 0) return { name: NAME, state: 'ok', detail: `it showed the state of the primary after ${tookMs} ms` }
      if (tookMs >= WAIT_MS)
        return {
          name: NAME,
          state: 'warn',
          detail: `it lags by more than ${WAIT_MS / 1000} s: ${left} bytes of the log are not replayed yet`,
          help: 'Reads that allow less staleness use the primary. Check pg_stat_replication there, and whether replay is paused.',
        }
      await sleep(POLL_MS)
    }
  } catch (error) {
    return {
      name: NAME,
      state: 'fail',
      detail: `DATABASE_READ_URL cannot be used: ${reasonOf(error)}`,
      help: 'All reads use the primary meanwhile. Name a streaming replica of DATABASE_URL, or unset DATABASE_READ_URL.',
    }
  }
}
