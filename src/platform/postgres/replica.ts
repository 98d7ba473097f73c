import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf } from '../errors.ts'
import { abortableSleep } from '../waiting/abortable-sleep.ts'
import { type Database, type DatabaseOptions, openDatabase, type Queries } from './database.ts'
import { readPrimary, readReplica, replayedUpTo } from './replica-position.ts'

/** How often the replica's position is compared with the primary's. */
const MEASURE_EVERY_MS = 500
/** A replica that does not respond for so long is not used until it responds again. */
const RESPONSE_MS = 3000
/** Limit: positions of the primary that are remembered while the replica lags; of more, every second one is dropped. */
const MAX_POSITIONS = 1000

export interface ReplicaReads {
  /** Items may be this old, at most. */
  stalenessMs: number
  /** Reads on the replica; a statement that fails there runs on the primary. Writes always run on the primary. */
  queries: Queries
  background: Queries
}

export interface ReplicaStatus {
  /** The replica has everything that the primary had so long ago. Undefined: not known, and the replica is not used. */
  stalenessMs: number | undefined
  /** Why it is not used. */
  problem: string | undefined
  /** Statements on the replica; those that failed there ran on the primary. */
  reads: { answered: number; failed: number }
  /** Requests that allowed staleness and used the primary, because the replica was older or could not be used. */
  refused: number
}

/** A streaming replica that is followed all the time, so that every read knows how old its data may be. */
export interface Replica {
  /** Undefined when the replica may be older than this, or cannot be used. */
  readsWithin: (maxStalenessMs: number) => ReplicaReads | undefined
  status: () => ReplicaStatus
  close: () => Promise<void>
}

/** The primary's position at a time of this process. */
interface Position {
  atMs: number
  lsn: number
}

export function openReplica(options: DatabaseOptions, primary: Database): Replica {
  const { log } = options
  const stopping = new AbortController()
  let follower = newFollower()
  const database = openDatabase({ ...options, onLost: () => lose('a connection to it was lost') })
  let problem: string | undefined = 'it has not been measured yet'
  let refused = 0
  const reads = { answered: 0, failed: 0 }

  /** Data of a replica that restarts may be older than before, so that everything must be measured again. */
  function lose(reason: string): void {
    if (problem === undefined && !stopping.signal.aborted) log.warn('the replica is not used', { reason })
    problem = reason
    follower.end()
    follower = newFollower()
  }

  async function measure(): Promise<void> {
    const measured = follower
    const atMs = performance.now()
    const source = await readPrimary(primary)
    const state = await withinTime(readReplica(database))
    // It was lost meanwhile: this position may be of the time before.
    if (measured !== follower) return
    follower.add({ atMs, lsn: source.lsn }, replayedUpTo(source, state))
    if (problem !== undefined) log.info('the replica is used for reads that allow staleness', {})
    problem = undefined
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await measure().catch((error: unknown) => lose(reasonOf(error)))
      await abortableSleep(MEASURE_EVERY_MS, stopping.signal)
    }
  }

  /** Falls back to the primary on any failure: a recovery conflict, a lost connection, a replica that hangs. */
  function fallingBack(on: Queries, elsewhere: Queries): Queries {
    return {
      primary,
      rows: async <Row extends object>(...statement: Parameters<Queries['rows']>) => {
        try {
          const rows = await follower.whileUsed(on.rows<Row>(...statement))
          reads.answered += 1
          return rows
        } catch (error) {
          reads.failed += 1
          log.debug('a read on the replica failed and runs on the primary', { error })
          return elsewhere.rows<Row>(...statement)
        }
      },
      count: (...statement) => elsewhere.count(...statement),
    }
  }
  const queries = fallingBack(database, primary)
  const background = fallingBack(database.background, primary.background)
  const following = follow()
  const stalenessMs = () => (problem === undefined ? follower.stalenessMs() : undefined)
  return {
    readsWithin: (maxStalenessMs) => {
      const knownMs = stalenessMs()
      if (knownMs !== undefined && knownMs <= maxStalenessMs) return { stalenessMs: knownMs, queries, background }
      refused += 1
      return undefined
    },
    status: () => ({ stalenessMs: stalenessMs(), problem, reads: { ...reads }, refused }),
    close: async () => {
      stopping.abort()
      follower.end()
      await following
      await database.close()
    },
  }
}

/**
 * Derives how old the replica's data may be: it has everything that the primary had when the primary was at a position that the
 * replica has replayed. An idle primary stays at its position, so its replica is up to date, however old its last transaction is.
 */
function newFollower() {
  const running = new Set<() => void>()
  let ahead: Position[] = []
  let currentAtMs: number | undefined
  return {
    /** Fails as soon as the replica cannot be used: a statement that hangs would end much later. */
    whileUsed: <Result>(work: Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        const onLost = () => reject(new Error('the replica cannot be used'))
        running.add(onLost)
        void work.then(resolve, reject).finally(() => running.delete(onLost))
      }),
    end: () => {
      for (const onLost of running) onLost()
    },
    add: (position: Position, replayedLsn: number) => {
      ahead.push(position)
      const reached = ahead.findLast(({ lsn }) => lsn <= replayedLsn)
      if (reached !== undefined) currentAtMs = reached.atMs
      ahead = ahead.filter(({ lsn }) => lsn > replayedLsn)
      if (ahead.length > MAX_POSITIONS) ahead = ahead.filter((_, i) => i % 2 === 0)
    },
    stalenessMs: () => (currentAtMs === undefined ? undefined : performance.now() - currentAtMs),
  }
}

async function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  const over = new AbortController()
  const timeout = sleep(RESPONSE_MS, undefined, { signal: over.signal }).then((): never => {
    throw new Error(`it did not respond for ${RESPONSE_MS / 1000} s`)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    over.abort()
  }
}
