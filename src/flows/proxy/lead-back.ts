import type { Auth } from '#kit/auth/auth.ts'
import { linksOf } from '#kit/endpoints/pages.ts'
import { type AllowedOrigins, isBelow, isMovedHost, ownOriginOf } from './allowed-hosts.ts'
import { isPreSigned } from './pre-signed.ts'

/** Where a response came from, and where its caller called. */
export interface ResponseOrigin {
  /** The URL of the response, after redirects. */
  url: string
  api: AllowedOrigins
  auth: Auth
  /** The address of the proxy for this profile, without a trailing slash. */
  proxyUrl: string
}

type Headers = Record<string, string | string[]>

/** Relations that clients follow with the headers of the first request, wherever a reader of such a header might find them, escaped too. */
const PAGES = /\b(?:next|prev|previous|first|last)\b|[\\%]/i
/** Headers that name an address for a client to call next, with its token: where to upload, and where to ask how far an operation is. */
const CALLED_NEXT = ['x-goog-upload-url', 'x-goog-upload-control-url', 'operation-location', 'azure-asyncoperation']

/** What decides which addresses a client may be led to. */
export interface FollowedBy {
  status: number
  /** What the caller's request names as ours. */
  calledHost?: string | undefined
  isOurs?: IsOurs | undefined
  /** Where the caller's token was, if not in `Authorization`, which clients leave out when they follow a redirect to another host. */
  tokenIn?: TokenPlace | undefined
}

export type TokenPlace = 'header' | 'form'

/** Whether something of ours is at an address, for a caller who named this host. */
export type IsOurs = (url: URL, calledHost: string | undefined) => boolean

/**
 * Rewrites the links in the headers of a response that lead to the service's own hosts, so that they lead to the proxy. A client
 * that follows one, as vendors' SDKs do with pages, sends it the account's token: to the service, that token would open the whole
 * account. For the same reason a page on another host is left out, and a redirect there with which a client would send the token.
 */
export function leadBack(headers: Headers, from: ResponseOrigin, followed: FollowedBy): void {
  for (const name of ['location', 'content-location', ...CALLED_NEXT]) {
    const value = headers[name]
    if (value === undefined) continue
    const { address, isOwn } = leadingBack(String(value), from)
    const mayFollow = name === 'content-location' || (name === 'location' && losesToken(address, followed))
    if (isOwn || (mayFollow && !leadsToUs(address, from, followed))) headers[name] = address
    else delete headers[name]
  }
  const { link } = headers
  if (link === undefined) return
  const kept = [link].flat().flatMap((each) => linksBack(each, from))
  if (kept.length > 0) headers['link'] = kept.join(', ')
  else delete headers['link']
}

/**
 * The address to write instead of one in a body that clients follow. One on another host, or of another kind, is not followed: as
 * for pages in headers. A path stays: clients put the address in front of it that they called, or resolve it there.
 */
export function bodyLinkBack(given: string, from: ResponseOrigin): string | null {
  if (given === '') return given
  const plain = plainLinkBack(given, from)
  if (plain !== undefined) return plain
  const url = URL.parse(given, from.url)
  if (url === null) return null
  if (PATH.test(given) && !DOTS.test(given) && url.origin === new URL(from.url).origin) return given
  const { address, isOwn } = leadingBack(given, from)
  if (!isOwn) return null
  // A template, such as `…/assets{?name,label}`, is filled in by the client.
  return given.includes('{') ? address.replaceAll('%7B', '{').replaceAll('%7D', '}') : address
}

/** Most links are written plainly, and a body may have thousands: they need not be parsed. */
function plainLinkBack(given: string, { api: { apiUrl }, auth, proxyUrl }: ResponseOrigin): string | undefined {
  if (!given.startsWith(apiUrl)) return undefined
  const rest = given.slice(apiUrl.length)
  if (!PLAIN_REST.test(rest)) return undefined
  const hasQuery = rest.includes('?')
  return hasQuery && (rest.includes('access_token') || secretsInQuery(auth).length > 0) ? undefined : proxyUrl + rest
}

/** What no parser of addresses changes. */
const PLAIN_REST = /^(?:\/[\w~-][\w.~-]*)*\/?(?:\?[\w.~=&%,:+-]*)?$/
const PATH = /^(?:\/(?![/\\])|\?)/
/** Put behind the address that was called, they would lead out of it, to other services. */
const DOTS = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)|[\t\r\n]/i

function linksBack(header: string, from: ResponseOrigin): string[] {
  return linksOf(header).flatMap(({ text, address }) => {
    const parameters = text.slice(text.indexOf('>') + 1)
    // Some clients search for the relation, and take what is in brackets before it.
    if (parameters.includes('<')) return []
    const { address: back, isOwn } = leadingBack(address, from)
    if (!isOwn && PAGES.test(parameters)) return []
    return [text.trim().replace(`<${address}>`, () => `<${back}>`)]
  })
}

/** The service must not choose what else a client calls here: it follows a redirect to the host that it called with its token. */
function leadsToUs(address: string, { proxyUrl }: ResponseOrigin, { calledHost, isOurs }: FollowedBy): boolean {
  const url = URL.parse(address)
  // Nobody follows other kinds of addresses with a token.
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  // A default port may be written, or not.
  const hosts = [new URL(proxyUrl).host, calledHost].map((host) => URL.parse(`${url.protocol}//${host}`)?.host)
  return hosts.includes(url.host) || isOurs?.(url, calledHost) === true
}

/**
 * Whether a client that follows an address on another host leaves the token out. In a redirect it does if that is in `Authorization`;
 * any other address it calls like the first one, unless that is signed and needs nothing.
 */
function losesToken(address: string, { status, tokenIn }: FollowedBy): boolean {
  const sendsForm = tokenIn === 'form' && (status === 307 || status === 308)
  if (status >= 300 && status < 400) return tokenIn !== 'header' && !sendsForm
  return tokenIn === undefined && isPreSigned(address)
}

/** The address of the proxy for one of the service's own; any other one without the token and its proof, if it has them. */
function leadingBack(given: string, from: ResponseOrigin): { address: string; isOwn: boolean } {
  const url = URL.parse(given, from.url)
  if (url === null) return { address: given, isOwn: false }
  const hasSecret = removeSecrets(url, from.auth)
  const target = ownTargetOf(from.api, url)
  if (target === undefined)
    // A relative address would be resolved against ours.
    return { address: hasSecret || !URL.canParse(given) ? url.href : given, isOwn: false }
  const { apiUrl } = from.api
  const rest = target.slice(apiUrl.length)
  const isBelowApi = target.startsWith(apiUrl) && (rest === '' || /^[/?#]/.test(rest))
  return { address: isBelowApi ? from.proxyUrl + rest : `${from.proxyUrl}/${target}`, isOwn: true }
}

/** An address of the service as it is called; an instance may name its vendor's hosts. */
function ownTargetOf(api: AllowedOrigins, url: URL): string | undefined {
  const { apiUrl, movedFrom, hosts } = api
  // At the proxy, the parameter is that of the caller, who has a token of ours.
  const called = new URL(url)
  if (called.searchParams.has('access_token')) called.searchParams.delete('access_token')
  if (movedFrom !== undefined && isBelow(called.href, movedFrom)) return apiUrl + called.href.slice(movedFrom.length)
  const origin = ownOriginOf(api, called) ?? (isMovedHost(hosts, called) ? called.origin : undefined)
  return origin === undefined ? undefined : origin + called.pathname + called.search + called.hash
}

function removeSecrets({ searchParams }: URL, auth: Auth): boolean {
  const secret = secretsInQuery(auth).filter((name) => searchParams.has(name))
  for (const name of secret) searchParams.delete(name)
  return secret.length > 0
}

function secretsInQuery(auth: Auth): string[] {
  const token = 'tokenPlacement' in auth && auth.tokenPlacement.in === 'query' ? [auth.tokenPlacement.name] : []
  return auth.kind === 'oauth2' && auth.proof !== undefined ? [...token, auth.proof] : token
}
