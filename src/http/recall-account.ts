import type { FastifyRequest } from 'fastify'
import { createTtlCache } from '#base/ttl-cache.ts'
import { accountOf, tokenKey } from '#flows/authorize/accounts.ts'
import { type Account, AccountChanged } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { tokenOf } from './authenticate.ts'
import type { House } from './house.ts'

const TTL_MS = 60_000
/** Limit: access tokens whose account one process remembers; the least recently used goes. */
const MAX_TOKENS = 10_000

/** Whose request it is, for routes that anybody with an access token may call. */
export interface Accounts {
  /** Runs a route; one that recalls runs with what is remembered first, and again with the truth when that fell short. */
  open<Result>(request: FastifyRequest, recalls: boolean, run: (account: Account) => Promise<Result>): Promise<Result>
  clear(): void
}

/**
 * What a token opens is remembered but never believed: the statement that reads asks for it again, so that a token that was
 * taken back or a profile that left shows nothing, and yet the database is asked once and not twice.
 */
export function createAccounts(house: Pick<House, 'clock' | 'database' | 'hasher'>): Accounts {
  const known = createTtlCache<Account>(house.clock, { ttlMs: TTL_MS, maxEntries: MAX_TOKENS })

  const look = async (token: string): Promise<Account> => {
    const account = await accountOf(house, token)
    const recalled = account && tokenKey(house, token)
    if (recalled === undefined) throw new ApiError('token_invalid')
    known.set(token, { ...account!, recalled })
    return account!
  }

  return {
    open: async (request, recalls, run) => {
      const token = tokenOf(request)
      const recalled = recalls ? await known.peek(token) : undefined
      if (recalled !== undefined) {
        try {
          return await run(recalled)
        } catch (error) {
          // Also a refusal may come from what is no longer so.
          if (!(error instanceof AccountChanged || error instanceof ApiError)) throw error
          known.delete(token)
        }
      }
      try {
        return await run(await look(token))
      } catch (error) {
        // It changed while it was read, before anything was sent.
        if (!(error instanceof AccountChanged)) throw error
        return run(await look(token))
      }
    },
    clear: () => known.clear(),
  }
}
