import { freshCredential } from '#access/fresh-credential.ts'
import { type ServiceAccess, serviceAccessOf } from '#access/service-access.ts'
import type { Credential } from '#kit/auth/auth.ts'
import type { Account, OwnedProfile } from '#model/accounts/account.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import { isNamed, parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import { profileRefsOf } from '#store/identity/readable-profiles.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import type { Caller, ProxyDeps, Target } from './deps.ts'

/** The credential and addresses for calls of a profile. */
export interface ReadyTarget {
  credential: Credential
  version: number
  /** Origin and path, without a trailing slash. */
  apiUrl: string
  /** Further origins that may be called. */
  hosts: readonly string[]
  trust: Trust
}

export interface Targets {
  /** `name` is `service` or `id@service`. Throws `no_profile`, `needs_auth` or `no_service_keys`. */
  find(caller: Caller, name: string): Promise<Target>
  /** `cached` may be up to a second old; `current` is for a body that can be sent only once. */
  prepare(target: Target, how: 'cached' | 'current'): Promise<ReadyTarget>
  /**
   * Refreshes the credential after the service refused this version. Returns the same version if it cannot be
   * refreshed.
   */
  renew(target: Target, refused: number): Promise<ReadyTarget>
  clear(): void
}

/** Some services respond 401 to forbidden resources; this bounds how often such a response causes a refresh. */
const RENEWAL_INTERVAL_MS = 30_000
/** Calls of a burst share the lookups of the first one for this long. */
const TARGET_TTL_MS = 1000
/** Limit: keys, credentials and last refreshes that the proxy of one process caches; the least recently used is evicted. */
const MAX_CACHED = 10_000

export function createTargets(deps: ProxyDeps): Targets {
  const bounds = { ttlMs: TARGET_TTL_MS, maxEntries: MAX_CACHED }
  const keys = createTtlCache<ServiceAccess>(deps.clock, bounds)
  const readyTargets = createTtlCache<ReadyTarget>(deps.clock, bounds)
  const recentRenewals = createTtlCache<true>(deps.clock, { ttlMs: RENEWAL_INTERVAL_MS, maxEntries: MAX_CACHED })

  const load = async (target: Target, refused?: number): Promise<ReadyTarget> => {
    const { credential, version } = await freshCredential(deps, target, refused)
    const { connector, key } = target
    const { addresses, trust } = await locateService(deps.upstream, {
      connector,
      key,
      instance: credential.instance,
    })
    const { origin, pathname } = new URL(addresses.apiUrl)
    // The declared hosts belong to the default instance, not to one with another origin.
    const hosts = URL.parse(connector.api.baseUrl)?.origin === origin ? (connector.api.hosts ?? []) : []
    return { credential, version, apiUrl: origin + trimEndOf(pathname, '/'), hosts, trust }
  }
  const cache = (target: Target, ready: ReadyTarget): ReadyTarget => {
    readyTargets.set(cacheKey(target.profile), ready)
    return ready
  }

  return {
    find: async (caller, name) => {
      const profile = await findCalled(deps, caller, name)
      const access = await keys.get(cacheKey(profile), () => requireAccess(deps, profile))
      return { profile, ...access, server: undefined }
    },
    prepare: async (target, how) =>
      how === 'cached'
        ? readyTargets.get(cacheKey(target.profile), () => load(target))
        : cache(target, await load(target)),
    renew: async (target, refused) => {
      const { id } = target.profile
      const isRecent = recentRenewals.peek(id) !== undefined
      const ready = await load(target, isRecent ? undefined : refused)
      if (!isRecent && ready.version !== refused) recentRenewals.set(id, true)
      return cache(target, ready)
    },
    clear: () => {
      keys.clear()
      readyTargets.clear()
      recentRenewals.clear()
    },
  }
}

/** A profile that was connected again has another credential. */
function cacheKey({ id, connectedAt }: CalledProfile): string {
  return `${id} ${connectedAt}`
}

async function findCalled(deps: ProxyDeps, { account, reload }: Caller, name: string): Promise<CalledProfile> {
  const known = await choose(deps, account, name)
  const isUsable = known !== undefined && known.state !== 'needs_auth'
  // Only a profile that can be called is taken from the cache: another process may have just connected it.
  const found = isUsable || reload === undefined ? known : await choose(deps, await reload(), name)
  if (found === undefined) throw new ApiError('no_profile')
  if (found.state === 'needs_auth') throw new ApiError('needs_auth')
  const { shard, profileId: id, service, owner: nativeId, connectedAt } = found
  return { shard, id, accountId: account.id, appId: account.appId, service, nativeId, connectedAt }
}

async function choose(
  { registry, database }: ProxyDeps,
  account: Account,
  name: string,
): Promise<OwnedProfile | undefined> {
  const parsed = parseProfileName(registry, name)
  if (parsed === undefined) return undefined
  return (await profileRefsOf(database, account)).find(
    ({ service, owner, isMerged }) => !isMerged && isNamed(parsed, { service, nativeId: owner }),
  )
}

async function requireAccess(deps: ProxyDeps, profile: CalledProfile): Promise<ServiceAccess> {
  const connector = deps.registry.find(profile.service)
  const access = connector && (await serviceAccessOf(deps, profile, connector))
  if (access === undefined) throw new ApiError('no_service_keys')
  return access
}
