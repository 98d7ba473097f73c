import { freshCredential } from '#access/fresh-credential.ts'
import { type ServiceAccess, serviceAccessOf } from '#access/service-access.ts'
import type { Credential } from '#kit/auth.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { byLastConnected, type Profile } from '#model/profile.ts'
import { isNamed, parseProfileName } from '#model/profile-name.ts'
import type { Trust } from '#platform/egress/trust.ts'
import { trimEndOf } from '#platform/trim-end.ts'
import { createTtlCache } from '#platform/ttl-cache.ts'
import { findAccount } from '#store/identity/accounts.ts'
import { listProfiles } from '#store/identity/profiles.ts'
import { locateService } from '#upstream/addresses.ts'
import type { ProxyDeps, Target } from './deps.ts'

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
  /**
   * `name` is `service` or `id@service`. Throws `no_profile`, `needs_auth` or `no_service_keys`. `cached`: which
   * profile `service` names may be up to a second old if another process connected one; `current`: it is never old.
   */
  find(account: Account, name: string, how: 'cached' | 'current'): Promise<Target>
  /** `cached` may be up to a second old; `current` is for a body that can be sent only once. */
  prepare(target: Target, how: 'cached' | 'current'): Promise<ReadyTarget>
  /**
   * Refreshes the credential after the service refused this version. Returns the same version if it cannot be
   * refreshed.
   */
  renew(target: Target, refused: number): Promise<ReadyTarget>
  /** The profiles of this account have changed. */
  forget(accountId: string): void
  clear(): void
}

/** Some services respond 401 to forbidden resources; this bounds how often such a response causes a refresh. */
const RENEWAL_INTERVAL_MS = 30_000
/** Calls of a burst share the lookups of the first one for this long. */
const TARGET_TTL_MS = 1000
/** Limit: profiles, credentials and last refreshes that the proxy of one process caches; the least recently used is evicted. */
const MAX_CACHED = 10_000

export function createTargets(deps: ProxyDeps): Targets {
  const bounds = { ttlMs: TARGET_TTL_MS, maxEntries: MAX_CACHED }
  // By account, so that a change of its profiles is one entry to forget.
  const profiles = createTtlCache<Profile[]>(deps.clock, bounds)
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
  const findProfileOf = async (account: Account, name: string, how: 'cached' | 'current'): Promise<Profile> => {
    const cached = how === 'cached' ? await profiles.peek(account.id) : undefined
    const known = cached && choose(deps, cached, name)
    // Only a profile that can be called is taken from the cache: another process may have just connected it.
    if (known !== undefined && known.state !== 'needs_auth') return known
    profiles.delete(account.id)
    const profile = choose(deps, await profiles.get(account.id, () => currentProfiles(deps, account)), name)
    if (profile === undefined) throw new ApiError('no_profile')
    if (profile.state === 'needs_auth') throw new ApiError('needs_auth')
    return profile
  }

  return {
    find: async (account, name, how) => {
      const profile = await findProfileOf(account, name, how)
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
    forget: (accountId) => profiles.delete(accountId),
    clear: () => {
      profiles.clear()
      keys.clear()
      readyTargets.clear()
      recentRenewals.clear()
    },
  }
}

/** A profile that was connected again has another credential. */
function cacheKey({ id, connectedAt }: Profile): string {
  return `${id} ${connectedAt}`
}

function choose({ registry }: ProxyDeps, profiles: readonly Profile[], name: string): Profile | undefined {
  const parsed = parseProfileName(registry, name)
  if (parsed === undefined) return undefined
  return profiles.filter((profile) => isNamed(parsed, profile)).sort(byLastConnected)[0]
}

/** Reads the account again: a merge may have given it profiles in further shards since the token was verified. */
async function currentProfiles({ database }: ProxyDeps, { shard, id }: Account): Promise<Profile[]> {
  const account = await findAccount(database, shard, id)
  if (account === undefined) throw new ApiError('token_invalid')
  return listProfiles(database, account)
}

async function requireAccess(deps: ProxyDeps, profile: Profile): Promise<ServiceAccess> {
  const connector = deps.registry.find(profile.service)
  const access = connector && (await serviceAccessOf(deps, profile, connector))
  if (access === undefined) throw new ApiError('no_service_keys')
  return access
}
