import {
  type Account,
  AccountChanged,
  type CachedAccount,
  isInOneShard,
  type VerifiedOrCachedAccount,
} from '#model/accounts/account.ts'
import { ApiError } from '#model/errors.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { actsForAccount, type CallerDeps, openAccount, requireAccount, tokenOf } from './authenticate.ts'

const TTL_MS = 60_000
/** Limit: access tokens whose account one process caches; the least recently used is dropped. */
const MAX_TOKENS = 10_000

/** Finds the account of a request, for routes that may read with a cached one. */
export interface Accounts {
  /** Runs a route with the cached account first, and again with the current one if it has changed. */
  read<Result>(request: HttpRequest, run: (account: VerifiedOrCachedAccount) => Promise<Result>): Promise<Result>
  clear(): void
}

/**
 * Caches the accounts of tokens. The statement that reads also verifies the cached account, so that a revoked token or a removed
 * profile returns nothing, and a request needs one query instead of two. An account with profiles in several shards is looked up
 * for each request, because no statement can read all of them.
 */
export function createAccounts(deps: CallerDeps): Accounts {
  const cache = createTtlCache<CachedAccount>(deps.clock, { ttlMs: TTL_MS, maxEntries: MAX_TOKENS })

  const lookUp = async (request: HttpRequest): Promise<{ account: Account; cached: CachedAccount }> => {
    const account = await openAccount(deps, request)
    const { id, profiles, token } = account
    const cached = { cached: { id, profiles, token } }
    if (isInOneShard(account)) cache.set(tokenOf(request), cached)
    return { account, cached }
  }

  return {
    read: async (request, run) => {
      // Not cached: an operator's rights are verified for each request.
      if (actsForAccount(request)) return readActing(deps, request, run)
      const token = tokenOf(request)
      const cached = await cache.peek(token)
      try {
        return await run(cached ?? (await lookUp(request)).account)
      } catch (error) {
        // The account changed, and nothing has been sent yet.
        const hasChanged = error instanceof AccountChanged
        if (!hasChanged && !(cached !== undefined && error instanceof ApiError)) throw error
        cache.delete(token)
        const current = await lookUp(request)
        // The cached account was up to date, so the error is right.
        if (!hasChanged && isSame(current.cached, cached)) throw error
        return run(current.account)
      }
    },
    clear: () => cache.clear(),
  }
}

async function readActing<Result>(
  deps: CallerDeps,
  request: HttpRequest,
  run: (account: VerifiedOrCachedAccount) => Promise<Result>,
): Promise<Result> {
  try {
    return await run(await requireAccount(deps, request))
  } catch (error) {
    if (!(error instanceof AccountChanged)) throw error
    return run(await requireAccount(deps, request))
  }
}

function isSame({ cached: one }: CachedAccount, other: CachedAccount | undefined): boolean {
  return JSON.stringify([one.id, one.profiles]) === JSON.stringify([other?.cached.id, other?.cached.profiles])
}
