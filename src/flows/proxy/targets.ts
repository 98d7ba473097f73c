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

/** All that a call needs to be sent. */
export interface Ready {
  credential: Credential
  version: number
  /** Origin and path, with no slash at the end. */
  apiUrl: string
  /** Further origins that may be called. */
  hosts: readonly string[]
}

export interface Targets {
  /** `name` is `service` or `id@service`. Throws `no_profile`, `needs_auth` or `no_service_keys`. */
  find(account: Account, name: string): Promise<Target>
  /** A body that goes only once deserves a credential that was looked up for it. */
  ready(target: Target, how: 'recent' | 'newest'): Promise<Ready>
  /** After the service refused this version. Gives the same version when there is none better. */
  renew(target: Target, refused: number): Promise<Ready>
  clear(): void
}

/** Services that answer 401 to what a person may not see must not make us refresh with every call. */
const RENEW_EVERY_MS = 30_000
/** For so long a burst of calls shares what was looked up for the first of them. */
const TARGET_TTL_MS = 1000
/** Limit: profiles, credentials and last refreshes that the proxy of one process remembers; the least recently used goes. */
const MAX_REMEMBERED = 10_000

export function createTargets(deps: ProxyDeps): Targets {
  const bounds = { ttlMs: TARGET_TTL_MS, maxEntries: MAX_REMEMBERED }
  const found = createTtlCache<Target>(deps.clock, bounds)
  const made = createTtlCache<Ready>(deps.clock, bounds)
  const renewed = createTtlCache<true>(deps.clock, { ttlMs: RENEW_EVERY_MS, maxEntries: MAX_REMEMBERED })

  const prepare = async (target: Target, refused?: number): Promise<Ready> => {
    const { credential, version } = await freshCredential(deps, target, refused)
    const { connector, key } = target
    const { addresses } = await locateService(deps.upstream, { connector, key, instance: credential.instance })
    const { origin, pathname } = new URL(addresses.apiUrl)
    // An instance elsewhere has none of the hosts of the one that the connector knows.
    const hosts = new URL(connector.api.baseUrl).origin === origin ? (connector.api.hosts ?? []) : []
    return { credential, version, apiUrl: origin + trimEndOf(pathname, '/'), hosts }
  }
  const keep = (target: Target, ready: Ready): Ready => {
    made.set(target.profile.id, ready)
    return ready
  }

  return {
    find: (account, name) => found.get(`${account.id} ${name}`, () => findTarget(deps, account, name)),
    ready: async (target, how) =>
      how === 'recent' ? made.get(target.profile.id, () => prepare(target)) : keep(target, await prepare(target)),
    renew: async (target, refused) => {
      const { id } = target.profile
      const lately = renewed.peek(id) !== undefined
      const ready = await prepare(target, lately ? undefined : refused)
      if (!lately && ready.version !== refused) renewed.set(id, true)
      return keep(target, ready)
    },
    clear: () => {
      found.clear()
      made.clear()
      renewed.clear()
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
