import type { Api } from '#kit/connector/connector.ts'
import { hostOfPath } from '#kit/connector/service-hosts.ts'
import { isNamed, type ProfileName } from '#model/accounts/profile-name.ts'
import type { ProxyTokenLimits } from '#model/accounts/proxy-token.ts'
import { ApiError } from '#model/errors.ts'
import { decodePercent } from '#platform/formats/decode-percent.ts'
import type { Caller } from './deps.ts'
import { fullAddressIn } from './full-address.ts'

interface LimitedCall {
  method: string
  /** As in the URL, not decoded. */
  path: string
  query: string
  headers: NodeJS.Dict<string | string[]>
}

type ApiAddress = Pick<Api, 'baseUrl' | 'pathHosts'>

const ORIGIN = /^https?:\/\/[^/]*/i
/** Limit: rounds of percent-encoding in a path that a token for some paths may call; with more the call is refused. */
const MAX_ENCODINGS = 3
/** Query parameters by which services execute another method than that of the request. */
const METHOD_PARAMETERS = new Set(['method', '_method', 'http_method', '_httpmethod', 'x-http-method-override'])
const METHOD = /^(?:get|head|post|put|patch|delete)$/i

/** Refuses a call with a token that has ended since it was read, or for another service or profile. Throws `token_restricted`. */
export function refuseOtherProfile({ account }: Caller, named: ProfileName | undefined, nowMs: number): void {
  const { proxyToken, profiles = [] } = account
  if (proxyToken === undefined) return
  const { service, profileId, expiresAt } = proxyToken
  if (expiresAt !== undefined && expiresAt <= nowMs) throw new ApiError('token_invalid')
  const isOther =
    named?.service !== service ||
    // The account is listed with the one profile that the token is for.
    (profileId !== undefined && !profiles.some(({ owner }) => isNamed(named, { service, nativeId: owner })))
  if (!isOther) return
  throw restricted(`The token is only for ${profileId === undefined ? 'the service' : 'one profile at'} ${service}.`)
}

/** Refuses a method or path that the token is not for. Throws `token_restricted`. */
export function refuseOtherCall({ methods, paths }: ProxyTokenLimits, call: LimitedCall, api: ApiAddress): void {
  if (methods !== undefined && !allowsMethod(methods, call))
    throw restricted(`The token allows only these methods: ${methods.join(', ')}.`)
  if (paths !== undefined && !allowsPath(paths, call, api))
    throw restricted(
      `The token allows only these paths and what is below them, without dot segments: ${paths.join(' ')}`,
    )
}

/** Why a text cannot be a path of a token; undefined if it can. */
export function faultOfPath(path: string): string | undefined {
  const isPath = path.startsWith('/') && fullAddressIn(path) === undefined
  if (!isPath && !/^https?:\/\/[^/]/.test(path)) return 'must begin with one slash, or with https:// and a host.'
  if (/[?#\s{}]/.test(path)) return 'must be a path without a query, a fragment or a placeholder.'
  return segmentsOf(path) === undefined ? 'must have no dot segments, and be percent-encoded correctly.' : undefined
}

function allowsMethod(methods: readonly string[], { method, query }: LimitedCall): boolean {
  // HEAD is GET without its body (RFC 9110 9.3.2).
  if (!methods.includes(method) && !(method === 'HEAD' && methods.includes('GET'))) return false
  return !new URLSearchParams(query)
    .entries()
    .some(
      ([name, value]) =>
        METHOD_PARAMETERS.has(name.toLowerCase()) && METHOD.test(value) && !methods.includes(value.toUpperCase()),
    )
}

function allowsPath(paths: readonly string[], { path, headers }: LimitedCall, api: ApiAddress): boolean {
  // Of COPY and MOVE, which write to another path.
  if (headers['destination'] !== undefined) return false
  const called = segmentsOf(comparedPath(path, api))
  if (called === undefined) return false
  return paths.some((allowed) => segmentsOf(allowed)!.every((segment, i) => called[i] === segment))
}

/** A full address is a path where the API has it, or the host that the connector names for this path; else it is itself. */
function comparedPath(path: string, api: ApiAddress): string {
  const full = fullAddressIn(path)
  if (full === undefined) return path
  if (full.startsWith(`${api.baseUrl}/`)) return full.slice(api.baseUrl.length)
  const origin = ORIGIN.exec(full)?.[0] ?? ''
  const rest = full.slice(origin.length)
  return hostOfPath(api, rest) === origin ? rest : full
}

/**
 * The segments of a path, decoded once; of a full address, after its origin. Undefined where servers may disagree about what the
 * path is: dot segments, however encoded, control characters, and what is not UTF-8.
 */
function segmentsOf(path: string): string[] | undefined {
  if (hasUnclearSegments(path)) return undefined
  const origin = ORIGIN.exec(path)?.[0]
  const below = path.slice(origin?.length ?? 0).replace(/\/$/, '')
  const segments = below === '' ? [] : below.slice(1).split('/')
  const decoded = segments.map((segment) => decodePercent(segment)!)
  return origin === undefined ? decoded : [origin.toLowerCase(), ...decoded]
}

function hasUnclearSegments(path: string): boolean {
  let text = path
  for (let round = 0; round <= MAX_ENCODINGS; round += 1) {
    // Path parameters are cut off by some servers, and compatibility forms of a dot become one in others.
    const isDots = (segment: string) => /^\.\.?(?:;|$)/.test(segment)
    if (/\p{Cc}/u.test(text) || text.normalize('NFKC').split(/[/\\]/).some(isDots)) return true
    const decoded = decodePercent(text)
    if (decoded === undefined) return round === 0 || /%[\da-f]{2}/i.test(text)
    if (decoded === text) return false
    text = decoded
  }
  return true
}

const restricted = (message: string) => new ApiError('token_restricted', message)
