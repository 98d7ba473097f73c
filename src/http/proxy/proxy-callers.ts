import { recordCall } from '#flows/operators/record-acting.ts'
import type { Caller } from '#flows/proxy/deps.ts'
import type { Account } from '#model/accounts/account.ts'
import { createSharedLoads } from '#platform/waiting/shared-loads.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { actsForAccount, operatorOf, requireAccount } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'

/** Finds the account that calls the proxy, with its profiles. */
export interface ProxyCallers {
  /** `isCurrent`: not older than the request. Otherwise it may be up to a second old. */
  find(request: HttpRequest, isCurrent: boolean): Promise<Caller>
  /** The profiles of this account have changed. */
  forget(accountId: string): void
  clear(): void
}

/** How long an access token's account is cached, so that a burst of calls looks it up once. */
const ACCOUNT_TTL_MS = 1000
/** Limit: callers of the proxy that one process caches for a second; the least recently used is dropped. */
const MAX_CALLERS = 10_000

export function createProxyCallers(deps: HttpDeps): ProxyCallers {
  const accounts = createTtlCache<Account>(deps.clock, { ttlMs: ACCOUNT_TTL_MS, maxEntries: MAX_CALLERS })
  const share = createSharedLoads<Account>()
  const current = (key: string, request: HttpRequest) =>
    share(key, () => {
      accounts.delete(key)
      return accounts.get(key, () => requireAccount(deps, request))
    })
  return {
    find: async (request, isCurrent) => {
      if (actsForAccount(request)) return { account: await actingAccount(deps, request) }
      const key = callerKey(request)
      if (isCurrent) return { account: await current(key, request) }
      const account = await accounts.get(key, () => requireAccount(deps, request))
      return { account, reload: () => current(key, request) }
    },
    forget: (accountId) => accounts.deleteMatching(({ id }) => id === accountId),
    clear: () => accounts.clear(),
  }
}

/** Of an operator, whose calls are recorded. */
async function actingAccount(deps: HttpDeps, request: HttpRequest): Promise<Account> {
  const account = await requireAccount(deps, request)
  const { service } = request.params as { service: string }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    await recordCall(deps, operatorOf(request)!, { account }, 'proxy.call', { service, method: request.method })
  return account
}

// Everything that determines the caller: the key of the account cache.
function callerKey({ headers, query }: HttpRequest): string {
  return `${headers.authorization}\n${String((query as Record<string, unknown>)['access_token'])}`
}
