import type { OpenedAccount, TokenKey } from '#model/accounts/account.ts'
import type { Clock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import type { Log } from '#platform/telemetry/log.ts'
import { markTokensUsed } from '#store/identity/access-tokens.ts'

/** Writes when access tokens were used last, to a day, in batches and without delaying requests. What cannot be written is dropped. */
export interface TokenUses {
  note(account: OpenedAccount): void
  flush(): Promise<void>
}

const FLUSH_MS = 1000
/** A token that was used within this time is not written again. */
const PRECISION_MS = 86_400_000
/** Limit: used access tokens that wait in one process for being written; further ones are written when they are used again. */
const MAX_WAITING = 10_000

export function createTokenUses({
  database,
  clock,
  log,
}: {
  database: Pick<Database, 'count'>
  clock: Clock
  log: Log
}): TokenUses {
  const waiting = new Map<string, TokenKey>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const write = async () => {
    const tokens = [...waiting.values()]
    waiting.clear()
    const usedAt = clock.now()
    for (const [shard, ofShard] of Map.groupBy(tokens, (token) => token.shard))
      await markTokensUsed(database, { shard, hashes: ofShard.map(({ hash }) => hash), usedAt })
  }
  // One after the other, so that a slow database gets larger batches.
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write).catch((error: unknown) => {
      log.warn('the last use of access tokens could not be written', { error })
    })
    return writing
  }
  return {
    note: ({ token, tokenUsedAt }) => {
      if (tokenUsedAt > clock.now() - PRECISION_MS || waiting.size >= MAX_WAITING) return
      waiting.set(token.hash.toString('base64'), token)
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
    },
    flush,
  }
}
