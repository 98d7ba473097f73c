import type { Auth } from '#kit/auth/auth.ts'
import { linksOf } from '#kit/endpoints/pages.ts'
import type { AllowedOrigins } from './address.ts'

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

/** Relations that clients follow with the headers of the first request. */
const PAGES = new Set(['next', 'prev', 'previous', 'first', 'last'])

/**
 * Rewrites the links in the headers of a response that lead to the service's own hosts, so that they lead to the proxy. A client
 * that follows one, as vendors' SDKs do with pages, sends it the account's token: to the service, that token would open the whole
 * account. For the same reason a page on another host is left out.
 */
export function leadBack(headers: Headers, from: ResponseOrigin): void {
  for (const name of ['location', 'content-location']) {
    const value = headers[name]
    if (typeof value === 'string') headers[name] = leadingBack(value, from).address
  }
  const { link } = headers
  if (link === undefined) return
  const kept = [link].flat().flatMap((each) => linksBack(each, from))
  if (kept.length > 0) headers['link'] = kept.join(', ')
  else delete headers['link']
}

function linksBack(header: string, from: ResponseOrigin): string[] {
  return linksOf(header).flatMap(({ text, address, relations }) => {
    const { address: back, isOwn } = leadingBack(address, from)
    if (!isOwn && relations.some((relation) => PAGES.has(relation))) return []
    return [text.trim().replace(`<${address}>`, () => `<${back}>`)]
  })
}

/** The address of the proxy for one of the service's own; any other one without the token and its proof, if it has them. */
function leadingBack(given: string, from: ResponseOrigin): { address: string; isOwn: boolean } {
  const url = URL.parse(given, from.url)
  if (url === null) return { address: given, isOwn: false }
  const hasSecret = removeSecrets(url, from.auth)
  const { apiUrl, hosts } = from.api
  const own = [new URL(apiUrl).origin, ...hosts].find((origin) => new URL(origin).host === url.host)
  if (own === undefined || !/^https?:$/.test(url.protocol))
    // A relative address would be resolved against ours.
    return { address: hasSecret || !URL.canParse(given) ? url.href : given, isOwn: false }
  // Behind a proxy that ends TLS, services name themselves with the wrong scheme.
  const target = own + url.pathname + url.search + url.hash
  const rest = target.slice(apiUrl.length)
  const isBelowApi = target.startsWith(apiUrl) && (rest === '' || /^[/?#]/.test(rest))
  return { address: isBelowApi ? from.proxyUrl + rest : `${from.proxyUrl}/${target}`, isOwn: true }
}

function removeSecrets({ searchParams }: URL, auth: Auth): boolean {
  const token = 'tokenPlacement' in auth && auth.tokenPlacement.in === 'query' ? [auth.tokenPlacement.name] : []
  const proof = auth.kind === 'oauth2' && auth.proof !== undefined ? [auth.proof] : []
  const secret = [...token, ...proof].filter((name) => searchParams.has(name))
  for (const name of secret) searchParams.delete(name)
  return secret.length > 0
}
