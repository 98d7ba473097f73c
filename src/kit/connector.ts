import type { Auth } from './auth.ts'
import type { Endpoint } from './endpoint.ts'
import type { SelfReader } from './self.ts'
import { isOnNamedServer } from './server-native-id.ts'

/** The documented rate limits of a service: calls per seconds. Tributary stays below them across all its processes. */
export interface Limits {
  /** Shared by all people of one app. */
  app?: { calls: number; perS: number }
  /** For one person. */
  person?: { calls: number; perS: number }
  /** Shared by everything that this installation calls, whatever the app. */
  service?: { calls: number; perS: number }
}

/** What a response says about rate limits. */
export interface RateLimitInfo {
  /** Calls left in this window. */
  remaining?: number | undefined
  /** When the next window starts. */
  resetAtMs?: number | undefined
  /**
   * The scope of the limit; `endpoint` is one person at one endpoint. Default: `person` where `limits` has only a limit per
   * person, otherwise `app`.
   */
  of?: 'app' | 'person' | 'endpoint' | undefined
}

/** How to call a service's API. */
export interface Api {
  /** Paths of endpoints are relative to this address. An app's keys may override it (`api_url`). */
  baseUrl: string
  /** Further origins that accept the same credential, e.g. one for uploads; only the proxy calls them. */
  hosts?: readonly string[]
  /** Headers to add to every call. */
  headers?: Record<string, string>
  /** Parameters to add to every call. */
  query?: Record<string, string>
  limits?: Limits
  /** Reads the rate limit from the headers of a response; see `rateFrom` in `rate.ts`. */
  rate?: (headers: Record<string, string>, nowMs: number) => RateLimitInfo | undefined
  /**
   * Says how to go on after a response whose status is misleading, e.g. a 403 that means “slow down”. Undefined: decide by the
   * status.
   */
  recovery?: (response: {
    status: number
    body: unknown
    headers: Record<string, string>
  }) => 'retry' | 'reauthorize' | 'skip' | 'stop' | undefined
}

/** HMAC of a text with the hook's secret. Default encoding: hex. */
export type Sign = (algorithm: 'sha1' | 'sha256', text: string, encoding?: 'hex' | 'base64') => string

/** How to receive a service's webhooks. A webhook only makes the next sync due at once: its content is not stored. */
export interface Hook {
  /** `key`: calls are signed with the secret of the app's key, even when the hook has a secret of its own. */
  signedWith?: 'key'
  /** Returns the response to the request that verifies the address (a challenge to echo); undefined to reject it. */
  handshake?: (query: Record<string, string>, secret: string, sign: Sign) => string | undefined
  /** Whether the signature is valid. `body` is the raw text. */
  verify: (input: { headers: Record<string, string>; body: string; secret: string; sign: Sign }) => boolean
  /** Returns the native ids of the people whose data changed. */
  people: (body: unknown) => string[]
}

/**
 * The description of one outside service: data and pure functions. Tributary makes the calls, signs them, retries and keeps to
 * rate limits.
 */
export interface Connector {
  /** Unique name in addresses and IDRs: lower-case letters, digits and dashes. */
  service: string
  /** The name that people see. */
  title: string
  /** Address of the vendor's documentation. */
  docs: string
  auth: Auth
  api: Api
  self: SelfReader
  endpoints: Record<string, Endpoint>
  hook: Hook | undefined
  /** Other names that callers may use for the service. */
  aliases: string[]
}

/**
 * Defines a connector. A file in the connectors folder exports the result as its default.
 *
 *     export default defineConnector({
 *       service: 'example',
 *       title: 'Example',
 *       docs: 'https://example.com/developers',
 *       auth: oauth2({ authorizeUrl: '…', tokenUrl: '…' }),
 *       api: { baseUrl: 'https://api.example.com' },
 *       self: self('/me', (me: Me) => ({ id: me.id, name: me.name })),
 *       endpoints: { photos },
 *     })
 */
export function defineConnector(
  input: Omit<Connector, 'aliases' | 'endpoints' | 'hook'> & Partial<Pick<Connector, 'aliases' | 'endpoints' | 'hook'>>,
): Connector {
  const endpoints = isOnNamedServer(input.auth) ? withServerIds(input.endpoints ?? {}) : (input.endpoints ?? {})
  return { aliases: [], hook: undefined, ...input, endpoints }
}

function withServerIds(endpoints: Record<string, Endpoint>): Record<string, Endpoint> {
  return Object.fromEntries(Object.entries(endpoints).map(([name, each]) => [name, { ...each, idsOnServer: true }]))
}
