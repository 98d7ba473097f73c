import { ApiError } from '#model/errors.ts'
import { addedToCalls } from '#upstream/addresses/placeholder-values.ts'
import { addressOf } from '#upstream/call/call-service.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Target } from './deps.ts'
import type { ReadyTarget } from './targets.ts'

/** A path and query below the service's API address, both as the app wrote them; or an absolute URL on its host. */
export type CallAddress = { path: string; query: string } | { url: string }

/** The origins that calls of a profile may go to. */
export type AllowedOrigins = Pick<ReadyTarget, 'apiUrl' | 'hosts'>

const ABSOLUTE_URL = /^\/https?:\/\//i
/** Only segments that every server reads the same way, so that nothing needs to be resolved. */
const PLAIN_PATH = /^(\/(?!\.)[\w.~-]+)+\/?$/

/**
 * The URL of a call: below the API address or on a further host of the service, whatever the path contains. Throws
 * `bad_request`.
 */
export function resolveAddress(
  { apiUrl, hosts, credential }: AllowedOrigins & Pick<ReadyTarget, 'credential'>,
  { connector, key }: Pick<Target, 'connector' | 'key'>,
  address: CallAddress,
): string {
  const added = addedToCalls(connector, connector.api.query, { key, credential })
  try {
    if ('url' in address) return addressOf(apiUrl, address)
    const { path, query } = address
    if (query.includes('#')) throw addressRefused()
    if (ABSOLUTE_URL.test(path)) return withQuery(allowedAbsoluteUrl({ apiUrl, hosts }, path.slice(1)), query, added)
    if (PLAIN_PATH.test(path)) return withQuery(apiUrl + path, query, added)
    if (path.includes('#') || hasHiddenDotSegments(path)) throw addressRefused()
    return withQuery(addressOf(apiUrl, { path }), query, added)
  } catch (error) {
    if (error instanceof UpstreamError) throw addressRefused()
    throw error
  }
}

function allowedAbsoluteUrl({ apiUrl, hosts }: AllowedOrigins, text: string): string {
  const url = URL.parse(text)
  const allowed = [new URL(apiUrl).origin, ...hosts]
  if (url === null || !allowed.includes(url.origin))
    throw new ApiError('bad_request', `The proxy calls only these hosts for this service: ${allowed.join(', ')}.`)
  const isAllowed = hosts.includes(url.origin) || url.href.startsWith(`${apiUrl}/`)
  const hasCredentials = url.username !== '' || url.password !== ''
  if (!isAllowed || hasCredentials || hasHiddenDotSegments(text) || text.includes('#')) throw addressRefused()
  return url.href
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
  const names = fixed === undefined ? undefined : new Set(new URLSearchParams(query).keys())
  const added = Object.entries(fixed ?? {}).filter(([name]) => !names?.has(name))
  const all = [query, new URLSearchParams(added).toString()].filter((part) => part !== '').join('&')
  return all === '' ? url : `${url}?${all}`
}

const addressRefused = (): ApiError =>
  new ApiError('bad_request', 'The path leads outside the service’s API, or cannot be sent.')
