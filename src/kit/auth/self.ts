import type { Person } from '#model/accounts/profile.ts'
import { duration } from '../endpoints/endpoint.ts'
import type { BodyFormat } from '../endpoints/pages.ts'
import { type Price, type PriceInput, readPrice } from '../endpoints/price.ts'
import type { RequestBody } from '../endpoints/request-body.ts'
import { textAt } from '../read/value-at.ts'

/** The person a credential belongs to, read from the service's own record of them. */
export interface Self extends Omit<Person, 'source'> {
  /** The person's native id at the service, as text. */
  id: string
}

/** One call about the signed-in person. */
export interface SelfCall {
  /** Default: GET. */
  method?: SelfMethod
  /** Relative to `api.baseUrl`. `{sub}` is replaced by the subject of the token response. */
  path: string
  /** One of `api.hosts`, for a call at another origin of the service. */
  host?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** The body of a POST or PROPFIND. */
  body?: RequestBody | undefined
  /** The format of the response. Default: `json`. */
  parse?: BodyFormat | undefined
}

export type SelfMethod = 'GET' | 'POST' | 'PROPFIND'

/** A further call. Its address may be a link in the person's record, to anything on the same origin; undefined: no call. */
export interface FurtherSelfCall extends Omit<SelfCall, 'path'> {
  path: string | ((record: never) => string | undefined)
}

/** How to find out whose credential it is. Write it with `self()`, `selfFromToken()`, `selfFromIdToken()` or `selfFromKey()`. */
export interface SelfReader {
  /**
   * `call`: by calling the service. `token`: from the subject and the facts of the token response. `id_token`: from the claims of
   * the ID token, which is verified first. `key`: nobody is named; the call proves the key, and the record has what the person typed
   * as `label`, or nothing.
   */
  from: 'call' | 'token' | 'id_token' | 'key'
  path: string
  host?: string
  query: Record<string, string>
  method: SelfMethod
  headers: Record<string, string>
  body: RequestBody | undefined
  parse: BodyFormat
  /**
   * Further calls, by the name under which their answers are added to the record. One that the service refuses is left out: the
   * person may not have granted it.
   */
  also: Record<string, FurtherSelfCall>
  /** How often the record is read again after the sign-in. */
  everyMs: number
  /** What reading it costs the app: with a price it is read after the sign-in only where the app switched that on. */
  price: Price | undefined
  read: (body: unknown) => Self
  /** Returns another id of the same person, if the token response identifies them by that one. */
  alsoKnownAs?: (body: unknown) => string | undefined
}

/** Where the fields of a person are in the record: `{ id: 'data.0.id', name: 'data.0.display_name' }`. */
export type SelfPaths = { id: string } & { [Field in Exclude<keyof Self, 'id'>]?: string }

/** How to read the record: by a function, or by paths. */
export type ReadSelf<Body> = ((body: Body) => Self) | SelfPaths

export interface SelfInput<Body> extends SelfCall {
  also?: Record<string, FurtherSelfCall>
  read: ReadSelf<Body>
  /** How often it is read again after the sign-in: `7d`. Default: once a day. */
  every?: string
  /** What reading it costs the app, by the vendor's price list. The app switches it on as `SERVICE/self`; the sign-in reads it always. */
  price?: PriceInput
  alsoKnownAs?: (body: Body) => string | undefined
}

/**
 * Describes the call that returns the signed-in person, and how to read it:
 * `self('/me', (me: Me) => ({ id: String(me.id), name: me.name }))`, or with paths: `self('/me', { id: 'user.id' })`. An object
 * describes more: a POST, further calls.
 *
 *     self: self<Account>({ path: '/user', also: { emails: { path: '/user/emails' } }, read: (account) => … })
 */
export function self<Body>(
  call: string | SelfInput<Body>,
  read?: ReadSelf<Body>,
  query: Record<string, string> = {},
  alsoKnownAs?: (body: Body) => string | undefined,
): SelfReader {
  if (typeof call !== 'string') return readerOf('call', call, call.read, call.alsoKnownAs)
  if (read === undefined)
    throw new TypeError(`self('${call}') needs a reader: a function, or paths such as { id: 'id' }`)
  return readerOf('call', { path: call, query }, read, alsoKnownAs)
}

/**
 * The person is named by the token response only. The record has its subject as `sub` and the connector's facts. No call is made,
 * so a token without such a response (`apply`) cannot be used.
 */
export function selfFromToken(read: ReadSelf<{ sub: string } & Record<string, string>> = { id: 'sub' }): SelfReader {
  return readerOf('token', { path: '' }, read, undefined)
}

/** The person is described by the claims of the ID token; `auth.idToken` says how it is verified. */
export function selfFromIdToken(
  read: ReadSelf<{ sub: string } & Record<string, unknown>> = {
    id: 'sub',
    name: 'name',
    handle: 'preferred_username',
    email: 'email',
    photo: 'picture',
    url: 'profile',
  },
): SelfReader {
  return readerOf('id_token', { path: '' }, read, undefined)
}

/** What a proven key is in its account where its person did not name it: one key of a service, which a renewed one replaces. */
const ONLY_KEY = 'key'

/**
 * The key names nobody, so `path` only proves it: the service must accept the call. In its account a key is known by the label that
 * the person typed, in a field `label`; a key with the same label replaces it. Only with `vouchedBy: 'nobody'`.
 */
export function selfFromKey(path: string, query: Record<string, string> = {}): SelfReader {
  const read = ({ label }: { label?: string }): Self => ({ id: label ?? ONLY_KEY, ...(label && { name: label }) })
  return readerOf('key', { path, query }, read, undefined)
}

function readerOf<Body>(
  from: SelfReader['from'],
  call: SelfCall & Pick<SelfInput<Body>, 'also' | 'every' | 'price'>,
  read: ReadSelf<Body>,
  alsoKnownAs: ((body: Body) => string | undefined) | undefined,
): SelfReader {
  return {
    from,
    path: call.path,
    ...(call.host === undefined ? {} : { host: call.host }),
    query: call.query ?? {},
    method: call.method ?? 'GET',
    headers: call.headers ?? {},
    body: call.body,
    parse: call.parse ?? 'json',
    also: call.also ?? {},
    everyMs: duration(call.every ?? '1d'),
    price: call.price && readPrice(call.price),
    read: typeof read === 'function' ? (read as SelfReader['read']) : (body) => readPaths(read, body),
    ...(alsoKnownAs === undefined ? {} : { alsoKnownAs: alsoKnownAs as NonNullable<SelfReader['alsoKnownAs']> }),
  }
}

function readPaths({ id, ...paths }: SelfPaths, body: unknown): Self {
  const fields = Object.entries(paths).flatMap(([field, path]) => {
    const value = textAt(body, path)
    return value === undefined ? [] : [[field, value]]
  })
  return { ...(Object.fromEntries(fields) as Partial<Person>), id: textAt(body, id) ?? '' }
}
