import type { Connector } from '#kit/connector.ts'
import { ApiError } from '#model/errors.ts'
import { addressOf } from '#upstream/call-service.ts'
import { UpstreamError } from '#upstream/errors.ts'
import type { Ready } from './targets.ts'

/** Below the service's API address, both as they were written; or a whole address on its host. */
export type Where = { path: string; query: string } | { url: string }

/** Where a profile's calls may go. */
export type AllowedOrigins = Pick<Ready, 'apiUrl' | 'hosts'>

const WHOLE = /^\/https?:\/\//i
/** Segments that mean the same to every reader, so that there is nothing to resolve. */
const SIMPLE = /^(\/(?!\.)[\w.~-]+)+\/?$/

/** The whole address of a call: under the API's own or on a host beside it, whatever the path tries. Throws `bad_request`. */
export function addressFor({ apiUrl, hosts }: AllowedOrigins, connector: Connector, where: Where): string {
  try {
    if ('url' in where) return addressOf(apiUrl, where)
    const { path, query } = where
    if (query.includes('#')) throw outside()
    const whole = WHOLE.test(path) ? wholeAddress({ apiUrl, hosts }, path.slice(1)) : undefined
    if (whole !== undefined) return withQuery(whole, query, connector.api.query)
    if (SIMPLE.test(path)) return withQuery(apiUrl + path, query, connector.api.query)
    if (path.includes('#') || climbs(path)) throw outside()
    return withQuery(addressOf(apiUrl, { path }), query, connector.api.query)
  } catch (error) {
    if (error instanceof UpstreamError) throw outside()
    throw error
  }
}

/** An address as the service itself writes it; undefined when it is none of the service's, and so only a path that looks like one. */
function wholeAddress({ apiUrl, hosts }: AllowedOrigins, address: string): string | undefined {
  const url = URL.parse(address)
  if (url === null || ![...hosts, new URL(apiUrl).origin].includes(url.origin)) return undefined
  const inside = hosts.includes(url.origin) || url.href.startsWith(`${apiUrl}/`)
  if (!inside || url.username !== '' || url.password !== '' || climbs(address) || address.includes('#')) throw outside()
  return url.href
}

/** True when a server that decodes once more than it should, or cuts parameters off, would leave the base. */
function climbs(path: string): boolean {
  let text = path
  for (let round = 0; round < 3; round += 1) {
    // Plain dots are resolved here, before anything is compared or sent.
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

const outside = (): ApiError => new ApiError('bad_request', 'The path leads outside the service, or cannot be sent.')
