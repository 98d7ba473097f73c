import { isAtHost, isWildcard } from '#kit/connector/service-hosts.ts'
import type { FurtherHost } from '#upstream/addresses/further-hosts.ts'
import type { ReadyTarget } from './targets.ts'

/** The origins that calls of a profile may go to. */
export type AllowedOrigins = Pick<ReadyTarget, 'apiUrl' | 'hosts' | 'movedFrom'>

const isMoved = ({ declared, url }: FurtherHost): boolean => declared !== url

/** Where the further host of an address is called: an origin, and a path on an instance; without a trailing slash. */
export function placeOf(hosts: readonly FurtherHost[], url: URL): string | undefined {
  const found = hosts.filter(({ declared }) => isAtHost(declared, url))
  const host = found.find(({ declared }) => !isWildcard(declared)) ?? found[0]
  return host === undefined || isMoved(host) ? host?.url : url.origin
}

/** Whether an address is where a further host is on an instance: its paths may be called by the vendor's name of that host too. */
export function isOnInstance(hosts: readonly FurtherHost[], url: URL): boolean {
  return hosts.some((host) => isMoved(host) && isBelow(url.href, host.url))
}

/** Whether an address is at a host of the vendor that is called on an instance. */
export function isMovedHost(hosts: readonly FurtherHost[], url: URL): boolean {
  return hosts.some((host) => isMoved(host) && isAtHost(host.declared, url))
}

export function isBelow(address: string, base: string): boolean {
  return address.startsWith(`${base}/`)
}

/** The origin of the service that an address names, as it is called. Behind a proxy that ends TLS, services write the wrong scheme. */
export function ownOriginOf({ apiUrl, hosts }: AllowedOrigins, { host, protocol }: URL): string | undefined {
  if (!/^https?:$/.test(protocol)) return undefined
  const own = [new URL(apiUrl).origin, ...hosts.filter((each) => !isMoved(each)).map(({ declared }) => declared)]
  const found = own.find((origin) => !isWildcard(origin) && new URL(origin).host === host)
  if (found !== undefined) return found
  const secure = URL.parse(`https://${host}`)
  return secure !== null && own.some((origin) => isAtHost(origin, secure)) ? secure.origin : undefined
}

/**
 * Whether a redirect from one address to another stays at the service. Not to a host that only a wildcard covers: services redirect
 * to signed addresses there, which need no credential.
 */
export function staysAtService({ apiUrl, hosts }: AllowedOrigins, from: string, { origin }: URL): boolean {
  if (origin === new URL(from).origin || origin === new URL(apiUrl).origin) return true
  return hosts.some((host) => host.declared === origin && !isMoved(host) && !isWildcard(host.declared))
}

/** Whether the caller alone has chosen the host of an address: it is one of those that a wildcard covers. */
export function isChosenByCaller({ apiUrl, hosts }: AllowedOrigins, url: string): boolean {
  if (!hosts.some((each) => isWildcard(each.declared) && !isMoved(each)) || isBelow(url, apiUrl)) return false
  const { origin } = new URL(url)
  return origin !== new URL(apiUrl).origin && !hosts.some(({ declared }) => declared === origin)
}

/** What an error may say. */
export function namedHosts({ apiUrl, hosts, movedFrom }: AllowedOrigins): string {
  const vendor = movedFrom === undefined ? [] : [new URL(movedFrom).origin]
  return [...new Set([new URL(apiUrl).origin, ...vendor, ...hosts.map(({ declared }) => declared)])].join(', ')
}
