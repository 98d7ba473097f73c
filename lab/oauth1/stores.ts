import type { ServiceClock } from '../base/clock.ts'
import type { Person } from '../base/people.ts'
import { secret } from '../base/random.ts'
import type { Kept, Registration, TokenControl } from '../base/service-parts.ts'

export interface OAuth1Client {
  key: string
  secret: string
  name: string
  callbacks: string[]
  publicKey?: string
}

export interface RequestToken {
  kind: 'request'
  key: string
  secret: string
  client: OAuth1Client
  callback: string
  expiresAtMs: number
  /** Set when the person allowed the request; each request token allows one decision. */
  verifier?: string
  person?: Person
  permissions: string[]
}

export interface AccessToken {
  kind: 'access'
  key: string
  secret: string
  client: OAuth1Client
  person: Person
  permissions: string[]
}

export interface OAuth1Stores {
  register(registration: Registration): OAuth1Client
  client(key: string): OAuth1Client | undefined
  addRequestToken(client: OAuth1Client, callback: string, ttlSeconds: number): RequestToken
  requestToken(key: string): RequestToken | undefined
  removeRequestToken(token: RequestToken): void
  addAccessToken(from: RequestToken & { person: Person }): AccessToken
  accessToken(key: string): AccessToken | undefined
  removeAccessToken(token: AccessToken): void
  control: TokenControl
  /** Clients and access tokens; a request token is valid for minutes, and the app starts again. */
  kept(people: readonly Person[]): Kept
}

interface SavedStores {
  clients: OAuth1Client[]
  tokens: (Pick<AccessToken, 'key' | 'secret' | 'permissions'> & { client: string; person: string })[]
}

export function createStores(clock: ServiceClock): OAuth1Stores {
  const clients = new Map<string, OAuth1Client>()
  const requestTokens = new Map<string, RequestToken>()
  const accessTokens = new Map<string, AccessToken>()
  function revoke(username?: string): number {
    const touched = [...accessTokens.values()].filter(
      ({ person }) => username === undefined || person.username === username,
    )
    for (const token of touched) accessTokens.delete(token.key)
    return touched.length
  }
  return {
    register(registration) {
      const client: OAuth1Client = {
        key: registration.key ?? `consumer-${secret(9)}`,
        secret: registration.secret ?? secret(),
        name: registration.name ?? 'An app',
        callbacks: registration.redirectUris,
        ...(registration.publicKey === undefined ? {} : { publicKey: registration.publicKey }),
      }
      const known = clients.get(client.key)
      if (known !== undefined) return Object.assign(known, client)
      clients.set(client.key, client)
      return client
    },
    client: (key) => clients.get(key),
    addRequestToken(client, callback, ttlSeconds) {
      const expiresAtMs = clock.now() + ttlSeconds * 1000
      const pair = { key: `rq-${secret(18)}`, secret: secret() }
      const token: RequestToken = { kind: 'request', ...pair, client, callback, expiresAtMs, permissions: [] }
      requestTokens.set(token.key, token)
      return token
    },
    requestToken: (key) => requestTokens.get(key),
    removeRequestToken: (token) => void requestTokens.delete(token.key),
    addAccessToken({ client, person, permissions }) {
      const key = `${person.id}-${secret(18)}`
      const token: AccessToken = { kind: 'access', key, secret: secret(), client, person, permissions }
      accessTokens.set(key, token)
      return token
    },
    accessToken: (key) => accessTokens.get(key),
    removeAccessToken: (token) => void accessTokens.delete(token.key),
    // These tokens never expire by themselves; expiring and revoking look the same to clients.
    control: { revoke, expire: revoke },
    kept: (people) => ({
      save: (): SavedStores => ({
        clients: [...clients.values()],
        tokens: [...accessTokens.values()].map(({ key, secret: own, permissions, client, person }) => ({
          key,
          secret: own,
          permissions,
          client: client.key,
          person: person.username,
        })),
      }),
      load(saved) {
        const { clients: known, tokens } = saved as SavedStores
        for (const client of known) clients.set(client.key, client)
        for (const { client: clientKey, person: username, ...token } of tokens) {
          const client = clients.get(clientKey)
          const person = people.find((one) => one.username === username)
          if (client && person) accessTokens.set(token.key, { kind: 'access', ...token, client, person })
        }
      },
    }),
  }
}
