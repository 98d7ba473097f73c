import { freshCredential } from '#access/fresh-credential.ts'
import { type ServiceAccess, serviceAccessOf } from '#access/service-access.ts'
import type { Credential, Parameters } from '#kit/auth/auth.ts'
import type { Account, OwnedProfile } from '#model/accounts/account.ts'
import type { CalledProfile } from '#model/accounts/profile.ts'
import { isNamed, parseProfileName } from '#model/accounts/profile-name.ts'
import { ApiError } from '#model/errors.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { createTtlCache } from '#platform/waiting/ttl-cache.ts'
import type { KnownCredential } from '#store/identity/credentials.ts'
import { profileRefsOf } from '#store/identity/readable-profiles.ts'
import { locateService } from '#upstream/addresses/addresses.ts'
import { type ServiceHosts, serviceHosts } from '#upstream/addresses/further-hosts.ts'
import { addedToCalls } from '#upstream/addresses/placeholder-values.ts'
import { secretsOf } from '#upstream/request/secrets-of.ts'
import type { Caller, ProxyDeps, ReadForCalls, Target } from './deps.ts'

/** The credential and addresses for calls of a profile. */
export interface ReadyTarget extends ServiceHosts {
  credential: Credential
  version: number
  /** What the connector adds to every call. */
  headers: Parameters | undefined
  /** What a call is signed with. */
  secrets: readonly string[]
  /** Origin and path, without a trailing slash. */
  apiUrl: string
  trust: Trust
}

export interface Targets {
  /** `name` is `service` or `id@service`. Throws `no_profile`, `needs_auth` or `no_service_keys`. */
  find(caller: Caller, name: string): Promise<Target>
  /** The same without a promise, if everything about it is cached. */
  findCached(caller: Caller, name: string): Target | undefined
  /** `cached` may be up to a second old; `current` is for a body that can be sent only once. */
  prepare(target: Target, how: 'cached' | 'current'): Promise<ReadyTarget>
  /** What `prepare` returns for `cached`, if it is. */
  prepared(target: Target): ReadyTarget | undefined
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

  const load = async (target: Target, refused?: number, known?: KnownCredential): Promise<ReadyTarget> => {
    const { credential, version } = await freshCredential(deps, target, refused, known)
    const { connector, key } = target
    const at = { connector, key, instance: credential.instance }
    const { addresses, trust } = await locateService(deps.upstream, at)
    const { origin, pathname } = new URL(addresses.apiUrl)
    const hosts = serviceHosts(at, addresses.apiUrl)
    return {
      credential,
      version,
      headers: addedToCalls(connector, connector.api.headers, { key, credential }),
      secrets: secretsOf({ auth: connector.auth, key, credential }),
      apiUrl: origin + trimEndOf(pathname, '/'),
      ...hosts,
      trust,
    }
  }
  const cache = (target: Target, ready: ReadyTarget): ReadyTarget => {
    readyTargets.set(cacheKey(target.profile), ready)
    return ready
  }

  return {
    find: async (caller, name) => {
      const { profile, stored, isCurrent } = await findCalled(deps, caller, name)
      const access = await keys.get(cacheKey(profile), () => requireAccess(deps, profile, stored), stored?.untilMs)
      return { profile, ...access, server: undefined, stored, isCurrent }
    },
    findCached: ({ account, stored, isCurrent }, name) => {
      const called = account.profiles && chosen(deps, account.profiles, name)
      if (called === undefined || called.state === 'needs_auth') return undefined
      const profile = toCalled(account, called)
      const access = keys.loaded(cacheKey(profile))
      if (access === undefined) return undefined
      const { connector, key } = access
      return { profile, connector, key, server: undefined, stored, isCurrent }
    },
    prepared: ({ profile }) => readyTargets.loaded(cacheKey(profile)),
    prepare: async (target, how) => {
      const { profile, isCurrent = false } = target
      const stored = storedFor(target, deps.clock.now())
      const known = stored && (() => stored.credential(profile.id))
      if (how === 'cached')
        return readyTargets.get(cacheKey(profile), () => load(target, undefined, known), stored?.untilMs)
      return cache(target, await load(target, undefined, isCurrent ? known : undefined))
    },
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

/** What was read with the account, if it is about this profile and still holds. */
function storedFor({ profile, stored }: Pick<Target, 'profile' | 'stored'>, nowMs: number): ReadForCalls | undefined {
  return stored?.has(profile.id) === true && stored.untilMs > nowMs ? stored : undefined
}

type Called = Pick<Target, 'profile' | 'stored' | 'isCurrent'>

async function findCalled(deps: ProxyDeps, caller: Caller, name: string): Promise<Called> {
  const { account, reload, stored, isCurrent } = caller
  const found = await choose(deps, account, name)
  const isUsable = found !== undefined && found.state !== 'needs_auth'
  // Only a profile that can be called is taken from the cache: another process may have just connected it.
  if (!isUsable && reload !== undefined) return findCalled(deps, { ...(await reload()), reload: undefined }, name)
  if (found === undefined) throw new ApiError('no_profile')
  if (found.state === 'needs_auth') throw new ApiError('needs_auth')
  const profile = toCalled(account, found)
  return { profile, stored: storedFor({ profile, stored }, deps.clock.now()), isCurrent }
}

function toCalled(account: Account, found: OwnedProfile): CalledProfile {
  const { shard, profileId: id, service, owner: nativeId, connectedAt } = found
  return { shard, id, accountId: account.id, appId: account.appId, service, nativeId, connectedAt }
}

async function choose(deps: ProxyDeps, account: Account, name: string): Promise<OwnedProfile | undefined> {
  return chosen(deps, await profileRefsOf(deps.database, account), name)
}

function chosen({ registry }: ProxyDeps, profiles: readonly OwnedProfile[], name: string): OwnedProfile | undefined {
  const parsed = parseProfileName(registry, name)
  if (parsed === undefined) return undefined
  return profiles.find(({ service, owner, isMerged }) => !isMerged && isNamed(parsed, { service, nativeId: owner }))
}

async function requireAccess(
  deps: ProxyDeps,
  profile: CalledProfile,
  stored: ReadForCalls | undefined,
): Promise<ServiceAccess> {
  const connector = deps.registry.find(profile.service)
  const known = stored && { stored: stored.key(profile.id) }
  const credential = stored && (() => stored.credential(profile.id))
  const access = connector && (await serviceAccessOf(deps, profile, connector, known, credential))
  if (access === undefined) throw new ApiError('no_service_keys')
  return access
}
