import type { ServiceClock } from '../base/clock.ts'
import type { TokenControl } from '../base/service-parts.ts'

/** What one person allowed one app. Meta keeps one grant per pair, no matter how often the person logs in. */
export interface AppGrant {
  clientKey: string
  username: string
  requested: Set<string>
  granted: Set<string>
  revoked: boolean
}

export interface AppToken {
  value: string
  grant: AppGrant
  issuedAtMs: number
  expiresAtMs: number
  longLived: boolean
}

export interface AppGrants {
  /** Adds permissions to the pair's active grant, or creates one. */
  grant(clientKey: string, username: string, requested: readonly string[], granted: readonly string[]): AppGrant
  addToken(token: Omit<AppToken, 'issuedAtMs' | 'expiresAtMs'> & { ttlSeconds: number }): AppToken
  token(value: string): AppToken | undefined
  isActive(token: AppToken): boolean
  /** Usernames of the people who have an active grant for the app. */
  usersOf: (clientKey: string) => string[]
  control(inner: TokenControl): TokenControl
}

export function createAppGrants(clock: ServiceClock): AppGrants {
  const grants = new Map<string, AppGrant>()
  const tokens = new Map<string, AppToken>()
  const isActive = (token: AppToken) => !token.grant.revoked && token.expiresAtMs > clock.now()
  const activeTokens = (username?: string) =>
    [...tokens.values()].filter(
      (token) => isActive(token) && (username === undefined || token.grant.username === username),
    )
  return {
    grant(clientKey, username, requested, granted) {
      const key = `${clientKey} ${username}`
      const before = grants.get(key)
      const grant =
        before && !before.revoked
          ? before
          : { clientKey, username, requested: new Set<string>(), granted: new Set<string>(), revoked: false }
      for (const name of requested) grant.requested.add(name)
      for (const name of granted) grant.granted.add(name)
      grants.set(key, grant)
      return grant
    },
    addToken({ ttlSeconds, ...token }) {
      const issuedAtMs = clock.now()
      const added = { ...token, issuedAtMs, expiresAtMs: issuedAtMs + ttlSeconds * 1000 }
      tokens.set(token.value, added)
      return added
    },
    token: (value) => tokens.get(value),
    isActive,
    usersOf: (clientKey) =>
      [...grants.values()]
        .filter((grant) => grant.clientKey === clientKey && !grant.revoked)
        .map(({ username }) => username),
    control: (inner) => ({
      revoke(person) {
        for (const token of activeTokens(person)) token.grant.revoked = true
        return inner.revoke(person)
      },
      expire(person) {
        for (const token of activeTokens(person)) token.expiresAtMs = clock.now()
        return inner.expire(person)
      },
    }),
  }
}
