import type { FastifyRequest } from 'fastify'
import { type Account, AccountChanged, type CachedAccount, type ReadingAccount } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { createTtlCache } from '#platform/ttl-cache.ts'
import { requireAccount, tokenOf } from './authenticate.ts'
import type { HttpDeps } from './deps.ts'

const TTL_MS = 60_000
/** Limit: access tokens whose account one process remembers; the least recently used goes. */
const MAX_TOKENS = 10_000

/** Whose request it is, for routes that read with an account that may only be cached. */
export interface Accounts {
  /** Runs a route with what is cached first, and again with the truth where that was not so any more. */
  read<Result>(request: FastifyRequest, run: (account: ReadingAccount) => Promise<Result>): Promise<Result>
  clear(): void
}

/**
 * What a token opens is cached but never believed: the statement that reads proves it, so that a token that was
 * taken back or a profile that left shows nothing, and yet the database is asked once and not twice.
 */
export function createAccounts(deps: Pick<HttpDeps, 'clock' | 'database' | 'hasher'>): Accounts {
  const known = createTtlCache<CachedAccount>(deps.clock, { ttlMs: TTL_MS, maxEntries: MAX_TOKENS })

  const look = async (request: FastifyRequest): Promise<{ account: Account; cached: CachedAccount }> => {
    const account = await requireAccount(deps, request)
    const { id, profiles, token } = account
    const cached = { cached: { id, profiles, token } }
    known.set(tokenOf(request), cached)
    return { account, cached }
  }

  return {
    read: async (request, run) => {
      const token = tokenOf(request)
      const cached = await known.peek(token)
      try {
        return await run(cached ?? (await look(request)).account)
      } catch (error) {
        // It changed while it was read, before anything was sent.
        const isOther = error instanceof AccountChanged
        if (!isOther && !(cached !== undefined && error instanceof ApiError)) throw error
        known.delete(token)
        const now = await look(request)
        // A refusal of a request that nothing changed for stays the same refusal.
        if (!isOther && isSame(now.cached, cached)) throw error
        return run(now.account)
      }
    },
    clear: () => known.clear(),
  }
}

function isSame({ cached: one }: CachedAccount, other: CachedAccount | undefined): boolean {
  return JSON.stringify([one.id, one.profiles]) === JSON.stringify([other?.cached.id, other?.cached.profiles])
}
