import type { BodyFormat } from '../endpoints/pages.ts'
import type { TypedJwt, TypedSignature } from './typed-signing.ts'

/** Parameters by name; placeholders in values are replaced. */
type Parameters = Record<string, string>

/** One value that a person types on Tributary's own page, instead of signing in at the service. */
export interface TypedField {
  /** The label, e.g. `API key`. */
  title: string
  /**
   * `text` (default); `address`: a web address such as `https://blog.example/news`, stored without a slash at the end; `host`:
   * a host name with an optional port; `url`: the address of one document, kept whole, with its parameters. All may be typed
   * without `https://`.
   */
  format?: 'text' | 'address' | 'host' | 'url'
  /** The whole value has to match. */
  pattern?: RegExp
  /** It is never shown again, logged or used in an address. */
  secret?: boolean
  optional?: boolean
  /** Shown below the label, e.g. what the value looks like. */
  hint?: string
  /** Address of a page that explains where to find the value. */
  help?: string
  /** For password managers: `username`, `current-password`, `url`. Default: by format, and `current-password` for a secret. */
  autocomplete?: string
}

export type TypedFields = Record<string, TypedField>

/** The typed values by field; optional ones that were left empty are missing. */
export type TypedValues = Record<string, string>

/** Where calls carry typed values; `{field}` and, after an exchange, `{token}` are replaced. */
export interface TypedPlacement {
  headers?: Parameters
  query?: Parameters
  basic?: { name: string; password: string }
}

/** A request that returns a token for the typed values. Fields of the response are named by path: `data.token`. */
export interface TypedExchange {
  /** Below `api.baseUrl`; or … */
  path?: string
  /** … a full address. Typed values are sent there. */
  url?: string
  /** Default: `POST`. */
  method?: 'POST' | 'GET'
  /** `{field}`, `{token}` and `{refresh_token}` are replaced here and in the address. */
  form?: Parameters
  json?: Parameters
  query?: Parameters
  headers?: Parameters
  basic?: { name: string; password: string }
  token: string
  refreshToken?: string
  /** Seconds until the token expires. */
  expiresIn?: string
  /** When the token expires: a date such as `2026-11-19T10:00:00Z`, or the time since 1970 in seconds or milliseconds. */
  expiresAt?: string
  /** Lifetime of a token in seconds, for services that do not say it. */
  expiresInS?: number
  /** Statuses beside 401 and 403 that refuse the typed values, e.g. 400. */
  refusedWith?: number[]
}

/**
 * Finds the person's API address on a server that they named, with what they typed (RFC 6764 and the like): the same request goes
 * to one address after another, until a response names the API.
 */
export interface Discovery {
  /** The addresses to begin at; the next one is tried when one leads nowhere. Redirects are followed. */
  start: (values: TypedValues) => string[]
  method: 'GET' | 'PROPFIND'
  headers?: Parameters
  body?: { text: string; type: string }
  /** Default: `json`. */
  parse?: BodyFormat
  /**
   * What a response says: the address of the API, another address to ask, both relative to its own, or that it does not accept what
   * was typed. Undefined: nothing.
   */
  read: (body: unknown) => { api: string } | { next: string } | 'refused' | undefined
}

/** The person types what calls carry, or what is exchanged for a token. Write it with `typed()`. */
export interface Typed {
  kind: 'typed'
  fields: TypedFields
  /** The field with the account's name: wrong passwords are counted by it. */
  account?: string
  placement: TypedPlacement
  /** How to find the API at the server that was typed. Default: `api.baseUrl`. */
  discover?: Discovery
  exchange?: TypedExchange
  /** A token that is signed with a typed key: `{jwt}` of the exchange; without one, `{token}` of calls. */
  jwt?: TypedJwt
  /** Signs each call with typed values. */
  sign?: TypedSignature
  /** How to refresh the token; without it, or when it is refused, the exchange is repeated. */
  refresh?: TypedExchange
}

/** Nobody signs in: the person or the app names what to read. Write it with `noAuth()`. */
export interface NoAuth {
  kind: 'none'
  fields: TypedFields
  /** The native id: equal for values that name the same source. */
  id: (values: TypedValues) => string
  /**
   * Where a field may name a page that leads to the source: returns the address of the source in such a page, undefined for the
   * source itself. A page that leads nowhere is read as the source.
   */
  discover?: { field: string; from: (page: { text: string; url: string }) => string | undefined }
}

/**
 * The service's own page gives the app a name and a password of its own, in the redirect back. Write it with
 * `appPassword()`. Calls carry both by HTTP Basic.
 */
export interface AppPassword {
  kind: 'app_password'
  /** Asked first: which server to go to. */
  fields: TypedFields
  /** Address of the document that names the page. */
  discoverUrl: string
  /** Returns the page's address from that document; undefined when the server has none. */
  authorizeUrl: (document: unknown) => string | undefined
  /** Parameters of the page; `{app}`, `{callback}` and `{reject}` are the app's name and the two addresses to return to, `{unique}` is new each time. */
  parameters: Parameters
  /**
   * Parameters of the redirect back. `server`: the one that names the server whose password it is. The page of one server may send
   * the browser to another, whose password would then go to the first; so it must be the server that the person named.
   */
  names: { name: string; password: string; server: string }
  /** As that of `OAuth2`. */
  noAppCheck?: string
  /** How to end the password: a call that names it, and the call that deletes it (`{id}`). */
  revoke?: { find: string; id: (body: unknown) => string | undefined; path: string }
}

/**
 * Describes a service whose people type a key, a name and a password, or several values, on Tributary's page.
 *
 *     auth: typed({
 *       fields: { key: { title: 'Secret key', pattern: /^sk_\w+$/, secret: true, help: 'https://service.example/keys' } },
 *       placement: { headers: { authorization: 'Bearer {key}' } },
 *     })
 */
export function typed(input: Omit<Typed, 'kind'>): Typed {
  return { ...input, kind: 'typed' }
}

/** Describes a service without sign-in, e.g. `noAuth({ fields: { feed: { title: 'Feed', format: 'address' } }, id: ({ feed }) => feed })`. */
export function noAuth(input: Omit<NoAuth, 'kind'>): NoAuth {
  return { ...input, kind: 'none' }
}

/** Describes a service that gives each app a password of its own, on servers of any address. */
export function appPassword(input: Omit<AppPassword, 'kind'>): AppPassword {
  return { ...input, kind: 'app_password' }
}
