import { encodeNumber, randomSecret } from '#platform/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { type CallEntry, insertCalls } from '#store/apps/calls.ts'

export type NewCall = Omit<CallEntry, 'id'>

/** Remembers calls for the dashboard. No call waits for it or fails with it: what cannot be written is lost. */
export interface CallLog {
  note(call: NewCall): void
  close(): Promise<void>
}

const FLUSH_MS = 1000
/** Limit: calls that wait to be logged; further ones are not logged. */
const MAX_WAITING = 20_000
/** Limit: characters of a path in the call log; the rest is cut off. */
const MAX_PATH = 500

export function createCallLog({ database, log }: { database: Database; log: Log }): CallLog {
  let waiting: NewCall[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let lost = 0
  // Chance is dear where it is asked for with every call; one draw for the process tells its ids from all others.
  const mine = randomSecret().slice(0, 8)
  let count = 0

  const flush = async () => {
    timer = undefined
    const calls = waiting
    waiting = []
    try {
      if (calls.length > 0) await insertCalls(database, calls.map(toEntry))
    } catch (error) {
      lost += calls.length
      log.warn('calls could not be noted and are forgotten', { calls: lost, error })
    }
  }
  const nextId = (at: number): string => {
    count += 1
    return encodeNumber(at, 10) + mine + encodeNumber(count, 8)
  }
  const toEntry = (call: NewCall): CallEntry => ({
    ...call,
    id: nextId(call.at),
    service: call.service.slice(0, 100),
    path: redactText(call.path.slice(0, MAX_PATH)),
  })
  // One batch after the other: a slow database gets larger batches, not more of them.
  const later = () => {
    timer ??= setTimeout(() => {
      writing = writing.then(flush)
      void writing.then(() => (waiting.length > 0 ? later() : undefined))
    }, FLUSH_MS).unref()
  }

  return {
    note: (call) => {
      if (waiting.length >= MAX_WAITING) {
        lost += 1
        return
      }
      waiting.push(call)
      later()
    },
    close: async () => {
      clearTimeout(timer)
      writing = writing.then(flush)
      await writing
    },
  }
}
