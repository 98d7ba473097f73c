import { freshCredential } from '#access/fresh-credential.ts'
import type { Credential } from '#kit/auth.ts'
import type { Account } from '#model/account.ts'
import { ApiError } from '#model/errors.ts'
import { trimEndOf } from '#platform/trim-end.ts'
import { createTtlCache } from '#platform/ttl-cache.ts'
import { findServiceKey } from '#store/apps/service-keys.ts'
import { findProfileByName } from '#store/identity/profiles.ts'
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
}

export interface Targets {
  /** `name` is `service` or `id@service`. Throws `no_profile`, `needs_auth` or `no_service_keys`. */
  find(account: Account, name: string): Promise<Target>
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
/** Limit: profiles, credentials and last refreshes that the proxy of one process caches; the least recently used is evicted. */
const MAX_CACHED = 10_000

export function createTargets(deps: ProxyDeps): Targets {
  const bounds = { ttlMs: TARGET_TTL_MS, maxEntries: MAX_CACHED }
  const targets = createTtlCache<Target>(deps.clock, bounds)
  const readyTargets = createTtlCache<ReadyTarget>(deps.clock, bounds)
  const recentRenewals = createTtlCache<true>(deps.clock, { ttlMs: RENEWAL_INTERVAL_MS, maxEntries: MAX_CACHED })

  const load = async (target: Target, refused?: number): Promise<ReadyTarget> => {
    const { credential, version } = await freshCredential(deps, target, refused)
    const { connector, key } = target
    const { addresses } = await locateService(deps.upstream, { connector, key, instance: credential.instance })
    const { origin, pathname } = new URL(addresses.apiUrl)
    // The declared hosts belong to the default instance, not to one with another origin.
    const hosts = new URL(connector.api.baseUrl).origin === origin ? (connector.api.hosts ?? []) : []
    return { credential, version, apiUrl: origin + trimEndOf(pathname, '/'), hosts }
  }
  const cache = (target: Target, ready: ReadyTarget): ReadyTarget => {
    readyTargets.set(target.profile.id, ready)
    return ready
  }

  return {
    find: (account, name) => targets.get(`${account.id} ${name}`, () => findTarget(deps, account, name)),
    prepare: async (target, how) =>
      how === 'cached' ? readyTargets.get(target.profile.id, () => load(target)) : cache(target, await load(target)),
    renew: async (target, refused) => {
      const { id } = target.profile
      const isRecent = recentRenewals.peek(id) !== undefined
      const ready = await load(target, isRecent ? undefined : refused)
      if (!isRecent && ready.version !== refused) recentRenewals.set(id, true)
      return cache(target, ready)
    },
    clear: () => {
      targets.clear()
      readyTargets.clear()
      recentRenewals.clear()
    },
  }
}

async function findTarget(deps: ProxyDeps, account: Account, name: string): Promise<Target> {
  const profile = await findProfileByName(deps.database, deps.registry, account, name)
  if (profile === undefined) throw new ApiError('no_profile')
  if (profile.state === 'needs_auth') throw new ApiError('needs_auth')
  const connector = deps.registry.find(profile.service)
  const key = connector && (await findServiceKey(deps.database, deps.keyring, profile.appId, profile.service))
  if (connector === undefined || key === undefined) throw new ApiError('no_service_keys')
  return { profile, connector, key, server: undefined }
}
