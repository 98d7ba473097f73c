import type { IncomingMessage } from 'node:http'
import type { Config } from '#config/config.ts'
import { originAt, originAtPort, type ProxyAddressConfig, patternOf, serviceOfHost } from '#config/proxy-origin.ts'
import { ApiError } from '#model/errors.ts'
import { fromTrustedProxy } from '../exchange/caller-address.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { Located } from '../exchange/serve.ts'

/** Limit: characters of a Host header that can name a service: a whole name (RFC 1035) and a port. */
const MAX_HOST = 253 + 6
const HOST = /^([a-z\d-]+(?:\.[a-z\d-]+)*)\.?(?::\d{1,5})?$/
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i
/** What names somebody else than the token does, or belongs to pages. */
const NOT_AT_ORIGINS = ['cookie', 'tributary-account', 'tributary-app', 'tributary-dashboard']

/**
 * Finds the requests to the origin of a service: they arrive at its port, or name it as their host. The port of the host is not
 * compared, because reverse proxies and containers change it. Such a request is looked up below `/proxy`, and nowhere else.
 */
export function createOrigins(
  config: ProxyAddressConfig & Pick<Config, 'trustProxy'>,
): (raw: IncomingMessage, name: string | undefined) => Located | undefined {
  const isFromProxy = fromTrustedProxy(config.trustProxy)
  return (raw, name) => {
    if (name !== undefined) return located(raw, name, originAtPort(config, name)!)
    const pattern = patternOf(config)
    if (pattern === undefined) return undefined
    const named = hostsOf(raw).map((host) => serviceOf(pattern, host))
    const forwarded = isFromProxy(raw) ? serviceOf(pattern, forwardedHost(raw)) : undefined
    const service = named.find((each) => each !== undefined) ?? forwarded
    if (service === undefined) return undefined
    const found = located(raw, service, originAt(pattern, service))
    // Two names may be read differently by a proxy in front, which decided by one of them.
    const isOne = named.every((each) => each === named[0]) && (forwarded ?? service) === service
    return isOne ? found : { ...found, refusal: new ApiError('bad_request', 'The request names several hosts.') }
  }
}

/** Removes what an origin never reads, before anything does. */
export function withoutSessions({ headers }: HttpRequest): void {
  for (const name of NOT_AT_ORIGINS) delete headers[name]
}

function located(raw: IncomingMessage, service: string, url: string): Located {
  const target = raw.url ?? '/'
  const path = ABSOLUTE.test(target) ? target.replace(ABSOLUTE, '').replace(/^(?!\/)/, '/') : target
  const origin = { service, url }
  if (path.startsWith('/')) return { url: `/proxy/${service}${path}`, origin }
  return { url: `/proxy/${service}/`, origin, refusal: new ApiError('bad_request', 'The address must be a path.') }
}

function serviceOf(pattern: string, host: string): string | undefined {
  const hostname = host.length > MAX_HOST ? undefined : HOST.exec(host.toLowerCase())?.[1]
  return hostname === undefined ? undefined : serviceOfHost(pattern, hostname)
}

/** Every host that the request names itself: in each `Host`, also repeated ones, and in its target. */
function hostsOf({ rawHeaders, url = '' }: IncomingMessage): string[] {
  const hosts: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1]!)
  }
  const inTarget = ABSOLUTE.exec(url)?.[1]
  return inTarget === undefined ? hosts : [...hosts, inTarget]
}

/** The last one, which the trusted proxy itself has added. */
function forwardedHost({ headers }: IncomingMessage): string {
  return String(headers['x-forwarded-host'] ?? '')
    .split(',')
    .at(-1)!
    .trim()
}
