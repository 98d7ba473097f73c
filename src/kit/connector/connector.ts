import type { Ask } from '../auth/ask.ts'
import type { Auth } from '../auth/auth.ts'
import type { CallbackRule } from '../auth/callback-rule.ts'
import type { SelfReader } from '../auth/self.ts'
import { isOnNamedServer } from '../auth/server-native-id.ts'
import type { Setting } from '../auth/settings.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Deletion } from '../hooks/deletion.ts'
import type { EndedGrant, HookItem, HookRequestInput, HookSubscription } from '../hooks/hook-life-cycle.ts'
import type { Category } from './catalogue-words.ts'
import { checkPlaceholders } from './check-placeholders.ts'

/** The documented rate limits of a service. Tributary stays below all of them, across all its processes and in the proxy too. */
export interface Limits {
  /** Shared by all people of one app. */
  app?: RateWindow | readonly RateWindow[]
  /** For one person. */
  person?: RateWindow | readonly RateWindow[]
  /** Shared by everything that this installation calls, whatever the app; where people have servers of their own, per server. */
  service?: RateWindow | readonly RateWindow[]
}

/** So many calls in so many seconds. A call counts as the `weight` of its endpoint. */
export interface RateWindow {
  calls: number
  perS: number
  /** Counts only calls that read (`GET` and `HEAD`). */
  reads?: true
  /** Each group of endpoints (`api.group`) has a window of its own. */
  per?: 'group'
  /** Counts only the calls of this group of endpoints. */
  group?: string
}

/** What a response says about rate limits. */
export interface RateLimitInfo {
  /** Calls left in this window. */
  remaining?: number | undefined
  /** When the next window starts. */
  resetAtMs?: number | undefined
  /**
   * The scope of the limit; `endpoint` is one person at one endpoint, `group` one person at one group of endpoints, `app_group` all
   * people of the app at one group for which `limits` has a window of the app, `service` everything that this installation calls. Default: `person` or `service` where `limits` has only one for that, otherwise `app`.
   * Sync and proxy follow the same rule (`access/learn-limits.ts`): a used-up limit and a refusal pause this scope, unless
   * `recovery` says `pause_app` or `pause_person`.
   */
  of?: 'app' | 'person' | 'endpoint' | 'group' | 'app_group' | 'service' | undefined
}

type ResponseRecovery =
  | 'retry'
  | 'reauthorize'
  | 'skip'
  | 'stop'
  | 'restart'
  | 'smaller'
  | 'not_granted'
  | 'pause_app'
  | 'pause_person'
  | undefined

/** Names of where a request carries a token. */
export interface TokenPlaces {
  headers?: readonly string[]
  query?: readonly string[]
  form?: readonly string[]
}

/** How to call a service's API. */
export interface Api {
  /** Paths of endpoints are relative to this address. An app's keys may override it (`api_url`). */
  baseUrl: string
  /**
   * The address of the API for one person, from a fact of their sign-in: `path` on the origin that the fact names. It must be https,
   * and its host must be one of `hosts`: a name, or `*.` and a name for all hosts below it. With `below`, the fact is one label of
   * the host and that is the rest of it. `{fact.NAME}` in `path` is replaced. The service must have told the fact, in the token
   * response or among the person's tenants: what the browser brought back chooses no host.
   */
  baseUrlFrom?: { fact: string; path?: string; hosts: readonly string[]; below?: string }
  /**
   * Further origins that accept the same credential, e.g. one for uploads. The proxy and endpoints with `host` call them.
   * `https://*.service.example` is every host one label below that name; only the proxy calls those.
   */
  hosts?: readonly string[]
  /**
   * The origin, of `hosts`, that has the paths which begin with this prefix, where a vendor's SDK writes them with the same base
   * address as all others: `{ '/2/files/upload': 'https://content.service.example' }`. With the path of `baseUrl`; the longest
   * prefix counts.
   */
  pathHosts?: Readonly<Record<string, string>>
  /**
   * Where an origin of `hosts` is on an instance that `api_url` names: a path on its host, `{ 'https://uploads.service.example':
   * '/api/uploads' }`. Default: the same paths as at the vendor.
   */
  hostsOnInstance?: Readonly<Record<string, string>>
  /**
   * Where JSON responses have addresses of the service that clients follow with their token, such as those of pages: `next`,
   * `paging.next`, `items.*.href`, `**.next` (`link-paths.ts`). The proxy leads them back to itself; one that leads to another host
   * becomes null there.
   */
  links?: readonly string[]
  /**
   * Where the service's own API takes a token besides `Authorization` and where calls carry it: names of headers, of parameters of the
   * query, and of fields of a form. Vendors' SDKs put the account's token there; the proxy takes it out.
   */
  tokenPlaces?: TokenPlaces
  /**
   * Headers to add to every call. `{key}`, `{setting.NAME}` and `{fact.NAME}` are replaced; a header with a setting or fact that is
   * not set is left out, and none with a placeholder is sent to a person's own server.
   */
  headers?: Record<string, string>
  /** Parameters to add to every call; the same placeholders. */
  query?: Record<string, string>
  limits?: Limits
  /** The group of endpoints that a path belongs to, where the service limits each group by itself. */
  group?: (path: string) => string | undefined
  /**
   * Reads the rate limit from the headers of a response; see `rateFrom` in `rate.ts`. Some services state it in the body, which
   * is undefined if it was not parsed: the proxy streams bodies.
   */
  rate?: (headers: Record<string, string>, nowMs: number, body?: unknown) => RateLimitInfo | undefined
  /**
   * Says how to go on after a response whose status is misleading, e.g. a 403 that means “slow down”. Undefined: decide by the
   * status. `restart`: the service does not know the checkpoint or cursor any more, so the endpoint is read from its beginning.
   * `smaller`: the page is too large for the service; it is requested again with half the records (see `asksForSmallerPages`).
   * `not_granted`: the token is valid, but the person did not give what this call needs; the endpoint is off until they do.
   * `pause_app` and `pause_person` refuse a call because of a rate limit of the whole app or of this person, whatever the headers
   * and `limits` say; `retry` below status 500 does the same in the scope that they state (`of`).
   */
  recovery?: (response: { status: number; body: unknown; headers: Record<string, string> }) => ResponseRecovery
  /** `recovery` may return `smaller`, so every endpoint with several pages needs a page size (`size` of its `pages`). */
  asksForSmallerPages?: true
}

/** HMAC of a text with the hook's secret. Default encoding: hex. */
export type Sign = (algorithm: 'sha1' | 'sha256', text: string, encoding?: 'hex' | 'base64') => string

/** The response to a handshake: text, or a JSON document. */
export type HandshakeResponse = string | { json: unknown }

/**
 * How to receive a service's webhooks. A webhook makes the next sync of the people it names due at once; with `items`, it also
 * delivers records. A service may repeat and reorder webhooks.
 */
export interface Hook {
  /** `key`: calls are signed with the secret of the app's key, even when the hook has a secret of its own. */
  signedWith?: 'key'
  /**
   * Returns the response to the request that verifies the address (a challenge to echo or to sign); undefined if the request is
   * not one. Asked for every GET, and for each POST before `verify`, so it must check what it answers. `sign` signs challenges
   * only: up to 512 letters, digits and `+/_-`.
   */
  handshake?: (
    query: Record<string, string>,
    secret: string,
    sign: Sign,
    request: HookRequestInput,
  ) => HandshakeResponse | undefined
  /** Whether the signature is valid. `body` is the raw text. */
  verify: (input: {
    headers: Record<string, string>
    query?: Record<string, string>
    body: string
    secret: string
    sign: Sign
  }) => boolean
  /** When the call was signed, in milliseconds, where the signature covers a time. Older than five minutes is refused. */
  signedAt?: (input: { headers: Record<string, string>; body: string }) => number | undefined
  /** Returns the native ids of the people whose data changed. */
  people: (body: unknown) => string[]
  /** Names the endpoints that changed. Default: all. */
  endpoints?: (body: unknown) => readonly string[] | undefined
  /** Returns the records that the body contains. Only with `version`. */
  items?: (body: unknown) => HookItem[]
  /**
   * A number that grows with each change of a record, e.g. the time of the change in milliseconds. An older version never
   * replaces a newer one; where it cannot be compared, the endpoint is read again instead.
   */
  version?: (record: unknown, endpoint: string) => number | undefined
  /** Returns the people who took back the app's access. */
  ended?: (body: unknown) => EndedGrant[]
  /** The subscriptions that the service needs, by name. */
  subscriptions?: Record<string, HookSubscription>
}

/** What a vendor demands before people can sign in, the page that says so, and when somebody read it (`2026-11-19`). */
export interface Condition {
  says: string
  source: string
  checked?: string | undefined
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
  /** What the service is for; lists are filtered by it. */
  category?: Category
  /** Which redirect addresses it refuses, so that a sign-in that must fail does not begin. */
  callback?: CallbackRule | undefined
  /** What the vendor demands on the first day. */
  conditions?: readonly Condition[]
  auth: Auth
  /** What to ask the person before the sign-in. */
  ask?: Ask
  api: Api
  self: SelfReader
  /** Set it where a person's key does not say whose it is: such an id never leads to an account (`kit/connector/who-vouches.ts`). */
  vouchedBy?: 'nobody'
  endpoints: Record<string, Endpoint>
  hook: Hook | undefined
  /** Values that the app sets with its key. */
  settings: Setting[]
  /** How the service requests the deletion of a person's data, and tells that a person removed the app. */
  deletion: Deletion | undefined
  /** Other names that callers may use for the service. */
  aliases: string[]
}

type Optional = 'aliases' | 'endpoints' | 'hook' | 'settings' | 'deletion'

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
export function defineConnector(input: Omit<Connector, Optional> & Partial<Pick<Connector, Optional>>): Connector {
  const endpoints = isOnNamedServer(input.auth) ? withServerIds(input.endpoints ?? {}) : (input.endpoints ?? {})
  const connector = { aliases: [], hook: undefined, deletion: undefined, settings: [], ...input, endpoints }
  checkPlaceholders(connector)
  return connector
}

function withServerIds(endpoints: Record<string, Endpoint>): Record<string, Endpoint> {
  return Object.fromEntries(Object.entries(endpoints).map(([name, each]) => [name, { ...each, idsOnServer: true }]))
}
