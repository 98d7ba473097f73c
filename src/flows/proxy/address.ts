import { hostOfPath } from '#kit/connector/service-hosts.ts'
import { ApiError } from '#model/errors.ts'
import { addedToCalls } from '#upstream/addresses/placeholder-values.ts'
import { addressOf } from '#upstream/call/call-service.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import { type AllowedOrigins, isBelow, isOnInstance, namedHosts, placeOf } from './allowed-hosts.ts'
import { apiRootOf } from './api-root.ts'
import type { Target } from './deps.ts'
import { fullAddressIn } from './full-address.ts'
import { isPreSigned } from './pre-signed.ts'
import type { ReadyTarget } from './targets.ts'

/** A path and query below the service's API address, both as the app wrote them; or an absolute URL on its host. */
export type CallAddress = { path: string; query: string } | { url: string }

/** Only segments that every server reads the same way, so that nothing needs to be resolved. */
const PLAIN_PATH = /^(\/(?!\.)[\w.~-]+)+\/?$/

/**
 * The URL of a call: below the API address or on a further host of the service, whatever the path contains. Throws
 * `bad_request`.
 */
export function resolveAddress(
  ready: AllowedOrigins & Pick<ReadyTarget, 'credential'>,
  { connector, key }: Pick<Target, 'connector' | 'key'>,
  address: CallAddress,
): string {
  const { apiUrl, credential } = ready
  const added = addedToCalls(connector, connector.api.query, { key, credential })
  try {
    if ('url' in address) return addressOf(apiUrl, address)
    const { path, query } = address
    if (query.includes('#')) throw addressRefused()
    const base = connector.api.pathHosts === undefined ? undefined : baseOfPath(ready, connector, path)
    if (PLAIN_PATH.test(path)) return withQuery((base ?? apiUrl) + path, query, added)
    const full = fullAddressIn(path)
    if (full !== undefined) return withQuery(allowedAddress(ready, full), query, added)
    if (path.includes('#') || hasHiddenDotSegments(path)) throw addressRefused()
    return withQuery(addressOf(base ?? apiUrl, { path }), query, added)
  } catch (error) {
    if (error instanceof UpstreamError) throw addressRefused()
    throw error
  }
}

/** The host of a path, with the path of the API, where the connector says that another one has it. */
function baseOfPath({ hosts }: AllowedOrigins, { api }: Target['connector'], path: string): string | undefined {
  const root = apiRootOf(api.baseUrl)
  const declared = hostOfPath(api, root + path)
  const place = declared === undefined ? undefined : placeOf(hosts, new URL(declared))
  return place === undefined ? undefined : place + root
}

/** A whole address of the service, where the profile is: a host that was moved to an instance is called there. */
function allowedAddress(allowed: AllowedOrigins, text: string): string {
  const { apiUrl, hosts, movedFrom } = allowed
  const url = URL.parse(text)
  const isAtApi = url?.origin === new URL(apiUrl).origin
  const isMoved = url !== null && movedFrom !== undefined && isBelow(url.href, movedFrom)
  const place = url === null ? undefined : placeOf(hosts, url)
  if (url === null || !(isAtApi || isMoved || place !== undefined))
    throw new ApiError('bad_request', `The proxy calls only these hosts for this service: ${namedHosts(allowed)}.`)
  const hasCredentials = url.username !== '' || url.password !== ''
  if (hasCredentials || hasHiddenDotSegments(text) || text.includes('#')) throw addressRefused()
  if (isMoved) return apiUrl + url.href.slice(movedFrom.length)
  if (isBelow(url.href, apiUrl) || isOnInstance(hosts, url)) return url.href
  // A wildcard does not open the rest of the host that has the API.
  if (place === undefined || (isAtApi && !hosts.some(({ declared }) => declared === url.origin))) throw addressRefused()
  return place + url.pathname + url.search
}

/** True if a server that decodes the path once more, or cuts off path parameters, would leave the API address. */
function hasHiddenDotSegments(path: string): boolean {
  let text = path
  for (let round = 0; round < 3; round += 1) {
    // Plain dot segments are resolved by the URL parser, before the URL is compared and sent.
    const dots = round === 0 ? /^\.\.?;/ : /^\.\.?(;|$)/
    if (text.split(/[/\\]/).some((segment) => dots.test(segment))) return true
    const decoded = text.replaceAll(/%(2e|2f|5c|25|3b)/gi, (code) => decodeURIComponent(code))
    if (decoded === text) return false
    text = decoded
  }
  return true
}

function withQuery(url: string, query: string, fixed: Record<string, string> | undefined): string {
  // Its signature covers all of its parameters.
  if (isPreSigned(`?${query}`)) return `${url}?${query}`
  const names = fixed === undefined ? undefined : new Set(new URLSearchParams(query).keys())
  const added = Object.entries(fixed ?? {}).filter(([name]) => !names?.has(name))
  const all = [query, new URLSearchParams(added).toString()].filter((part) => part !== '').join('&')
  return all === '' ? url : `${url}?${all}`
}

const addressRefused = (): ApiError =>
  new ApiError('bad_request', 'The path leads outside the service’s API, or cannot be sent.')
