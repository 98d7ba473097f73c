import { recordCall } from '#flows/operators/record-acting.ts'
import { mayBeStreamed } from '#flows/proxy/body.ts'
import type { Caller } from '#flows/proxy/deps.ts'
import { accountOfProxyToken, callingAccountOf } from '#identity/accounts.ts'
import type { Account } from '#model/accounts/account.ts'
import { parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import { createSharedLoads } from '#platform/waiting/shared-loads.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { actsForAccount, operatorOf, requireAccount, tokenOf } from '../server/authenticate.ts'
import type { HttpDeps } from '../server/deps.ts'

/** Finds the account that calls the proxy, with its profiles. */
export interface ProxyCallers {
  /** `isCurrent`: not older than the request. Otherwise it may be up to a second old. */
  find(request: HttpRequest, isCurrent: boolean): Promise<Caller> | Caller
  /** The profiles of this account have changed. */
  forget(accountId: string): void
  clear(): void
}

/** How long an access token's account is cached, so that a burst of calls looks it up once. */
const ACCOUNT_TTL_MS = 1000
/** Limit: callers of the proxy that one process caches for a second; the least recently used is dropped. */
const MAX_CALLERS = 10_000

export function createProxyCallers(deps: HttpDeps): ProxyCallers {
  const callers = createTtlCache<Caller>(deps.clock, { ttlMs: ACCOUNT_TTL_MS, maxEntries: MAX_CALLERS })
  /** For which service everything was read, as long as that is cached. */
  const services = createTtlCache<true>(deps.clock, { ttlMs: ACCOUNT_TTL_MS, maxEntries: MAX_CALLERS })
  const share = createSharedLoads<Caller>()
  // Read for each write, so it is only the account where the rest is cached.
  const account = async (request: HttpRequest): Promise<Caller> => {
    const ofProxy = await accountOfProxyToken(deps, tokenOf(request))
    return { account: ofProxy ?? (await requireAccount(deps, request)) }
  }
  const everything = async (key: string, request: HttpRequest): Promise<Caller> => {
    const service = serviceOf(deps, request)
    const caller = await callerWithStored(deps, request, service)
    services.set(`${key} ${service}`, true, caller.stored.untilMs)
    return caller
  }
  const current = async (key: string, request: HttpRequest, needsStored: boolean): Promise<Caller> => {
    const ofService = `${key} ${serviceOf(deps, request)}`
    const isAll = needsStored || services.peek(ofService) === undefined
    const caller = await share(isAll ? ofService : key, () => {
      callers.delete(key)
      return callers.get(key, () => (isAll ? everything(key, request) : account(request)))
    })
    return { ...caller, isCurrent: true }
  }
  return {
    find: (request, isCurrent) => {
      if (actsForAccount(request)) return actingAccount(deps, request).then((each) => ({ account: each }))
      const key = callerKey(request)
      // A body that is streamed can be sent only once, so its credential is current as well.
      const isStreamed = mayBeStreamed(request.headers)
      if (isCurrent || isStreamed) return current(key, request, isStreamed)
      const withReload = ({ account: found, stored }: Caller): Caller => ({
        account: found,
        stored,
        reload: () => current(key, request, true),
      })
      const cached = callers.loaded(key)
      if (cached !== undefined) return withReload(cached)
      return callers.get(key, () => everything(key, request)).then(withReload)
    },
    forget: (accountId) => callers.deleteMatching(({ account: { id } }) => id === accountId),
    clear: () => {
      callers.clear()
      services.clear()
    },
  }
}

/** The account with what its calls of this service need, in one statement. */
async function callerWithStored(deps: HttpDeps, request: HttpRequest, service: string) {
  const untilMs = deps.clock.now() + ACCOUNT_TTL_MS
  const found = await callingAccountOf(deps, tokenOf(request), service)
  if (found === undefined) throw new ApiError('token_invalid')
  if ('tokenUsedAt' in found.account) deps.tokenUses.note(found.account)
  return { account: found.account, stored: { ...found.stored, untilMs } }
}

/** Empty, as no service is, if no profile can have the name. */
function serviceOf({ registry }: HttpDeps, { params }: HttpRequest): string {
  return parseProfileName(registry, (params as { service: string }).service)?.service ?? ''
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
