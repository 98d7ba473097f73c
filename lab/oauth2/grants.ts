import type { ServiceClock } from '../base/clock.ts'
import type { Person } from '../base/people.ts'
import { secret } from '../base/random.ts'
import type { TokenControl } from '../base/service-parts.ts'
import type { Client } from './clients.ts'

/** What one person allowed one client. Revoking a grant invalidates all its tokens. */
export interface Grant {
  client: Client
  person: Person
  scopes: string[]
  revoked: boolean
}

export interface Code {
  grant: Grant
  redirectUri: string
  challenge?: string
  expiresAtMs: number
  used: boolean
}

export interface Token {
  value: string
  grant: Grant
  kind: 'access' | 'refresh'
  scopes: string[]
  issuedAtMs: number
  /** Infinity for a token that never expires. */
  expiresAtMs: number
  /** A rotated refresh token is kept to detect its reuse. */
  used: boolean
}

export interface Grants {
  addCode(code: Omit<Code, 'used'>): string
  code(value: string): Code | undefined
  issue(kind: Token['kind'], grant: Grant, scopes: string[], ttlSeconds: number): Token
  token(value: string): Token | undefined
  /** Every token that was issued and not removed. */
  tokens(): Token[]
  restore(token: Token): void
  remove(token: Token): void
  isActive(token: Token): boolean
  /** Ends every grant that this person gave to the client with this key. */
  endAll: (key: string, username: string) => void
  control: TokenControl
}

export function createGrants(clock: ServiceClock): Grants {
  const codes = new Map<string, Code>()
  const tokens = new Map<string, Token>()
  const ofPerson = (username?: string) =>
    [...tokens.values()].filter((token) => username === undefined || token.grant.person.username === username)
  const isActive = (token: Token) => !token.grant.revoked && !token.used && token.expiresAtMs > clock.now()
  return {
    addCode(code) {
      const value = secret()
      codes.set(value, { ...code, used: false })
      return value
    },
    code: (value) => codes.get(value),
    issue(kind, grant, scopes, ttlSeconds) {
      const issuedAtMs = clock.now()
      const expiresAtMs = ttlSeconds === 0 ? Number.POSITIVE_INFINITY : issuedAtMs + ttlSeconds * 1000
      const value = `${kind === 'access' ? 'at' : 'rt'}-${secret(32)}`
      const token = { value, grant, kind, scopes, issuedAtMs, expiresAtMs, used: false }
      tokens.set(value, token)
      return token
    },
    token: (value) => tokens.get(value),
    tokens: () => [...tokens.values()],
    restore: (token) => void tokens.set(token.value, token),
    remove: (token) => void tokens.delete(token.value),
    isActive,
    endAll: (key, username) => {
      for (const { grant } of tokens.values())
        if (grant.client.key === key && grant.person.username === username) grant.revoked = true
    },
    control: {
      revoke(username) {
        const touched = ofPerson(username).filter(isActive)
        for (const token of touched) token.grant.revoked = true
        return touched.length
      },
      expire(username) {
        const touched = ofPerson(username).filter((token) => token.kind === 'access' && isActive(token))
        for (const token of touched) token.expiresAtMs = clock.now()
        return touched.length
      },
    },
  }
}
