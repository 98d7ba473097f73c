import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { writeForStoredAccounts } from './accounts-of-log.ts'
import { deleteOfEndedApps, deleteOperation, MAX_STEPS, type OperationPart, writeOperations } from './operations.ts'

/** Records what the log shows of sign-ins and syncs, in batches and without delaying them. What cannot be written is dropped. */
export interface OperationLog {
  add(part: OperationPart): void
  /** The same for what anybody can cause at no cost: an app gets only so many of them. */
  addLimited(part: OperationPart): void
  /** Writes what waits, also when the process ends. */
  flush(): Promise<void>
}

const FLUSH_MS = 250
/** Limit: operations that wait to be logged; further ones are not logged. */
const MAX_WAITING = 5000
/** Limit: operations in one statement; the others follow in the next one. */
const MAX_BATCH = 500
/** Limit: requests of one app that are refused before a sign-in begins and are logged, per process and minute. */
const MAX_REFUSED_PER_MINUTE = 60

export function createOperationLog({
  database,
  clock,
  log,
}: {
  database: Database
  clock: Clock
  log: Log
}): OperationLog {
  let waiting = new Map<string, OperationPart>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let dropped = 0
  const refused = { minute: 0, byApp: new Map<string, number>() }

  const writeWaiting = async () => {
    clearTimeout(timer)
    timer = undefined
    const parts = [...waiting.values()]
    waiting = new Map()
    for (let from = 0; from < parts.length; from += MAX_BATCH) {
      const batch = parts.slice(from, from + MAX_BATCH)
      try {
        const erased = await writeForStoredAccounts(database, batch, (kept) => writeOperations(database, kept))
        // What was written of them before the account was known.
        for (const { shard, id } of erased) await deleteOperation(database, shard, id)
        await deleteOfEndedApps(
          database,
          batch.filter(({ accountId }) => accountId === undefined),
        )
      } catch (error) {
        dropped += batch.length
        log.warn('entries of the operation log could not be written and are dropped', { entries: dropped, error })
      }
    }
  }
  // Batches are written one after the other: a slow database gets larger batches, not concurrent ones.
  const scheduleFlush = () => {
    timer ??= setTimeout(() => {
      writing = writing.then(writeWaiting)
      void writing.then(() => (waiting.size > 0 ? scheduleFlush() : undefined))
    }, FLUSH_MS).unref()
  }
  const add = (part: OperationPart) => {
    const known = waiting.get(part.id)
    if (known === undefined && waiting.size >= MAX_WAITING) {
      dropped += 1
      return
    }
    waiting.set(part.id, known === undefined ? part : joined(known, part))
    scheduleFlush()
  }

  return {
    add,
    addLimited: (part) => {
      const minute = Math.floor(clock.now() / 60_000)
      if (refused.minute !== minute) {
        refused.minute = minute
        refused.byApp.clear()
      }
      const count = (refused.byApp.get(part.appId) ?? 0) + 1
      refused.byApp.set(part.appId, count)
      if (count <= MAX_REFUSED_PER_MINUTE) add(part)
    },
    flush: () => {
      writing = writing.then(writeWaiting)
      return writing
    },
  }
}

/** As the statement joins what is stored with what is written. */
function joined(one: OperationPart, other: OperationPart): OperationPart {
  const newest = other.endedAt >= one.endedAt ? other : one
  return {
    ...newest,
    service: other.service ?? one.service,
    accountId: other.accountId ?? one.accountId,
    profileId: other.profileId ?? one.profileId,
    at: Math.min(one.at, other.at),
    steps: [...one.steps, ...other.steps].slice(0, MAX_STEPS),
  }
}
