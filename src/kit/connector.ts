import type { Auth } from './auth.ts'
import type { Endpoint } from './endpoint.ts'
import type { SelfReader } from './self.ts'

/** How many calls a service allows, and to whom it counts them. */
export interface Limits {
  /** For all people of one app together. */
  app?: { calls: number; perS: number }
  /** For one person. */
  person?: { calls: number; perS: number }
  /** For everybody who calls from this installation, whatever the app. */
  service?: { calls: number; perS: number }
}

/** What an answer says of the limits, read from its headers. */
export interface RateLimitInfo {
  /** Calls left in this window. */
  remaining?: number | undefined
  /** When the window starts anew. */
  resetAtMs?: number | undefined
  /** Whose calls are counted; unless said, as `limits` has it: one person's where only people are limited, else all of the app's. `endpoint` is one person's at one endpoint. */
  of?: 'app' | 'person' | 'endpoint' | undefined
}

export interface Api {
  baseUrl: string
  /** Further origins where the same credential is good, such as one for uploads; only the proxy calls them. */
  hosts?: readonly string[]
  /** Headers that every call carries. */
  headers?: Record<string, string>
  /** Parameters that every call carries. */
  query?: Record<string, string>
  limits?: Limits
  rate?: (headers: Record<string, string>, nowMs: number) => RateLimitInfo | undefined
  /** For services whose status says something else than it should, e.g. a 403 that means “slow down”. */
  recovery?: (response: {
    status: number
    body: unknown
    headers: Record<string, string>
  }) => 'retry' | 'reauthorize' | 'skip' | 'stop' | undefined
}

/** HMAC of a text with the hook's secret, in hex unless said. */
export type Sign = (algorithm: 'sha1' | 'sha256', text: string, encoding?: 'hex' | 'base64') => string

/** A change the service tells us of by itself; it only makes a sync due. */
export interface Hook {
  /** `key` where calls are signed with the secret of the app's key even when the hook has a secret of its own. */
  signedWith?: 'key'
  /** The answer to the service's first question (a challenge to echo); undefined when it is none. */
  handshake?: (query: Record<string, string>, secret: string, sign: Sign) => string | undefined
  /** True when the signature is the service's. `body` is the raw text. */
  verify: (input: { headers: Record<string, string>; body: string; secret: string; sign: Sign }) => boolean
  /** Whom it concerns. */
  people: (body: unknown) => string[]
}

/** One outside service: data with functions, never code that calls it. */
export interface Connector {
  service: string
  title: string
  /** The vendor's documentation that this was written from. */
  docs: string
  auth: Auth
  api: Api
  self: SelfReader
  endpoints: Record<string, Endpoint>
  hook: Hook | undefined
  /** Other names that callers may use. */
  aliases: string[]
}

export function defineConnector(
  input: Omit<Connector, 'aliases' | 'endpoints' | 'hook'> & Partial<Pick<Connector, 'aliases' | 'endpoints' | 'hook'>>,
): Connector {
  return { aliases: [], endpoints: {}, hook: undefined, ...input }
}
