import { encodeNumber, randomSecret } from '#platform/crypto/ids.ts'
import { redactText } from '#platform/telemetry/redact.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import { type CallEntry, insertCalls, limitCalls } from '#store/apps/calls.ts'
import { markProxyTokensUsed } from '#store/identity/proxy-tokens.ts'
import { writeForStoredAccounts } from '#store/log/accounts-of-log.ts'
import type { CallFlags, ProxyDeps } from './deps.ts'

/** `secrets`: the values that the path must not show. */
export type NewCall = Omit<CallEntry, 'id'> &
  Pick<CallFlags, 'secrets'> & {
    /** Of the token for one service that made the call. */
    proxyTokenHash?: Buffer | undefined
  }

/** Records proxied calls, in batches and without delaying them. Entries that cannot be written are dropped. */
export interface CallLog {
  add(call: NewCall): void
  close(): Promise<void>
}

const FLUSH_MS = 1000
/** The time of the last use is written once in this time, because it costs a statement. */
const MARK_INTERVAL_MS = 60_000
/** Limit: tokens for services whose last use one process remembers to have written; a forgotten one is written again. */
const MAX_MARKED = 10_000
/** So many entries of an account are written between two removals of its oldest, because a removal costs two statements. */
const CALLS_BETWEEN_LIMITS = 1000
/** Limit: accounts whose entries one process counts; one that is forgotten is counted anew. */
const MAX_COUNTED = 10_000
/** An account is counted anew after a day without calls: what is missed then ends with the days of the log. */
const COUNT_TTL_MS = 86_400_000
/** Limit: calls that wait to be logged; further ones are not logged. */
const MAX_WAITING = 20_000
/** Limit: characters of a path in the call log; the rest is cut off. */
const MAX_PATH = 500

export function createCallLog({ database, clock, log }: Pick<ProxyDeps, 'database' | 'clock' | 'log'>): CallLog {
  const marked = createTtlCache<true>(clock, { ttlMs: MARK_INTERVAL_MS, maxEntries: MAX_MARKED })
  const written = createTtlCache<number>(clock, { ttlMs: COUNT_TTL_MS, maxEntries: MAX_COUNTED })
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
        await writeForStoredAccounts(database, calls, async (kept) => {
          await insertCalls(database, kept.map(toEntry))
          await limitAccounts(kept)
        })
    } catch (error) {
      dropped += calls.length
      log.warn('entries of the call log could not be written and are dropped', { calls: dropped, error })
    }
    await markUsed(calls).catch((error: unknown) => {
      log.warn('the last use of tokens could not be written', { error })
    })
  }
  /** Keeps the log of an account from growing without an end, however many calls it makes. */
  const limitAccounts = async (kept: readonly NewCall[]) => {
    for (const [key, calls] of Map.groupBy(kept, ({ shard, accountId }) => `${shard} ${accountId}`)) {
      const count = ((await written.peek(key)) ?? 0) + calls.length
      written.set(key, count % CALLS_BETWEEN_LIMITS)
      for (let removals = Math.floor(count / CALLS_BETWEEN_LIMITS); removals > 0; removals -= 1)
        if (!(await limitCalls(database, calls[0]!)).more) break
    }
  }
  const markUsed = async (calls: readonly NewCall[]) => {
    const unmarked = new Map<string, { shard: number; hash: Buffer }>()
    for (const { shard, proxyTokenHash: hash } of calls) {
      const name = hash?.toString('base64')
      if (name === undefined || marked.peek(name) !== undefined) continue
      unmarked.set(name, { shard, hash: hash! })
      marked.set(name, true)
    }
    for (const [shard, tokens] of Map.groupBy(unmarked.values(), (token) => token.shard))
      await markProxyTokensUsed(
        database,
        shard,
        tokens.map(({ hash }) => hash),
        clock.now(),
      )
  }
  const nextId = (at: number): string => {
    count += 1
    return encodeNumber(at, 10) + processId + encodeNumber(count, 8)
  }
  const toEntry = ({ secrets, proxyTokenHash: _hash, ...call }: NewCall): CallEntry => ({
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
      marked.clear()
      written.clear()
    },
  }
}
