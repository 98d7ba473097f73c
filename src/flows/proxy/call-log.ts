import { encodeNumber, randomSecret } from '#platform/crypto/ids.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { type CallEntry, insertCalls } from '#store/apps/calls.ts'
import { writeForStoredAccounts } from '#store/log/accounts-of-log.ts'
import type { CallFlags } from './deps.ts'

/** `secrets`: the values that the path must not show. */
export type NewCall = Omit<CallEntry, 'id'> & Pick<CallFlags, 'secrets'>

/** Records proxied calls, in batches and without delaying them. Entries that cannot be written are dropped. */
export interface CallLog {
  add(call: NewCall): void
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
  let dropped = 0
  // A random number per call would be expensive; one per process makes the ids unique.
  const processId = randomSecret().slice(0, 8)
  let count = 0

  const flush = async () => {
    timer = undefined
    const calls = waiting
    waiting = []
    try {
      if (calls.length > 0)
        await writeForStoredAccounts(database, calls, (kept) => insertCalls(database, kept.map(toEntry)))
    } catch (error) {
      dropped += calls.length
      log.warn('entries of the call log could not be written and are dropped', { calls: dropped, error })
    }
  }
  const nextId = (at: number): string => {
    count += 1
    return encodeNumber(at, 10) + processId + encodeNumber(count, 8)
  }
  const toEntry = ({ secrets, ...call }: NewCall): CallEntry => ({
    ...call,
    id: nextId(call.at),
    service: redactText(call.service).slice(0, 100),
    // Redacted before it is cut, otherwise a part of a secret could remain.
    path: redactText(call.path, secrets).slice(0, MAX_PATH),
  })
  // Batches are written one after the other: a slow database gets larger batches, not concurrent ones.
  const scheduleFlush = () => {
    timer ??= setTimeout(() => {
      writing = writing.then(flush)
      void writing.then(() => (waiting.length > 0 ? scheduleFlush() : undefined))
    }, FLUSH_MS).unref()
  }

  return {
    add: (call) => {
      if (waiting.length >= MAX_WAITING) {
        dropped += 1
        return
      }
      waiting.push(call)
      scheduleFlush()
    },
    close: async () => {
      clearTimeout(timer)
      writing = writing.then(flush)
      await writing
    },
  }
}
