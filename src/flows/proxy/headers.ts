import { linksOf } from '#kit/endpoints/pages.ts'

/** Request headers that are forwarded. All others are dropped, above all the caller's credentials for Tributary. */
const FORWARDED = new Set(
  [
    'accept accept-language accept-encoding cache-control user-agent prefer idempotency-key last-event-id slug soapaction',
    'content-type content-encoding content-language content-disposition content-md5 content-range content-location',
    'digest content-digest repr-digest want-digest want-content-digest want-repr-digest',
    'if if-match if-none-match if-modified-since if-unmodified-since if-range range',
    'depth destination overwrite lock-token timeout consistencylevel client-id',
  ]
    .join(' ')
    .split(' '),
)
// Vendors use their own headers for versions and arguments. Headers of proxies, traces and of Tributary are not
// forwarded.
const VENDOR = /^(x-[\w-]+|[\w-]+-version|(dropbox-api|atproto|upload|tus|odata|sforce|graphql|stripe|google)-[\w-]+)$/
const INTERNAL =
  /^x-(forwarded|real-ip|request-id|correlation-id|tributary|amzn-trace|envoy|b3|cloud-trace|client-ip|cluster-client|original|rewrite|http-method|method-override|host|proxy|url|waf|remote|true-client)/

/** Headers of one connection (RFC 9110 7.6.1), in addition to those that `Connection` lists. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Response headers that are dropped: cookies, browser policies of the service's origin, and directives to caches and
 * proxies in front of Tributary.
 */
const DROPPED = new Set(
  [
    'set-cookie set-cookie2 strict-transport-security public-key-pins public-key-pins-report-only expect-ct clear-site-data',
    'alt-svc alternate-protocol nel report-to reporting-endpoints refresh referrer-policy x-frame-options x-xss-protection',
    'content-security-policy content-security-policy-report-only x-content-security-policy x-webkit-csp integrity-policy',
    'permissions-policy permissions-policy-report-only feature-policy document-policy document-policy-report-only',
    'require-document-policy document-isolation-policy origin-agent-cluster timing-allow-origin',
    'x-permitted-cross-domain-policies x-dns-prefetch-control x-download-options x-ua-compatible x-content-type-options',
    'service-worker-allowed speculation-rules supports-loading-mode no-vary-search use-as-dictionary origin-trial',
    'accept-ch critical-ch set-login activate-storage-access observe-browsing-topics sourcemap x-sourcemap',
    'surrogate-control surrogate-key edge-control x-sendfile x-lighttpd-send-file x-reproxy-url x-request-id',
  ]
    .join(' ')
    .split(' '),
)
const DROPPED_PREFIXES =
  /^(?:access-control-|cross-origin-|attribution-reporting-|sec-|x-tributary-|x-accel-|x-litespeed-)/

/** Prevent that a browser executes a service's response on our origin, whatever its content type. */
const SECURITY_HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Our URLs may contain a token.
  'referrer-policy': 'no-referrer',
}

// Only token challenges are forwarded. Others make a browser open a password dialog that names our address.
const TOKEN_CHALLENGE = /^(bearer|dpop|oauth)\b/i
const INTERACTIVE_CHALLENGE = /\b(basic|digest|negotiate|ntlm|kerberos|mutual|hoba|scram)\b/i
/** Link relations that a browser fetches without a click. */
const FETCHED_RELATIONS = new Set(
  'preload modulepreload preconnect dns-prefetch prefetch prerender stylesheet compression-dictionary icon manifest expect'.split(
    ' ',
  ),
)

type Headers = NodeJS.Dict<string | string[]>

export function requestHeaders(given: Headers): Record<string, string> {
  const hopByHop = headersListedIn(given['connection'])
  const passed: Record<string, string> = {}
  for (const name in given) {
    const value = given[name]
    if (value === undefined || hopByHop?.has(name) === true || !mayPass(name)) continue
    passed[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return passed
}

const mayPass = rememberedByName((name: string) => FORWARDED.has(name) || (VENDOR.test(name) && !INTERNAL.test(name)))

const mayReturn = rememberedByName(
  (name: string) =>
    !HOP_BY_HOP.has(name) && !DROPPED.has(name) && !DROPPED_PREFIXES.test(name) && !name.endsWith('cdn-cache-control'),
)

/** Limit: names of headers for which one process remembers whether they are forwarded; further ones are checked at each call. */
const MAX_NAMES = 2000
/** Limit: characters of the name of a header that is remembered for this. */
const MAX_NAME = 64

/** Services send the same twenty headers with every response. */
function rememberedByName(decide: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const decided = decide(name)
    if (known.size < MAX_NAMES && name.length <= MAX_NAME) known.set(name, decided)
    return decided
  }
}

/** The service's headers without those of the connection, cookies and browser policies, and with restricted caching. */
export function responseHeaders(given: Headers): Record<string, string | string[]> {
  const hopByHop = headersListedIn(given['connection'])
  const passed: Record<string, string | string[]> = {}
  for (const name in given) {
    const value = given[name]
    if (value !== undefined && hopByHop?.has(name) !== true && mayReturn(name)) passed[name] = value
  }
  filterHeader(passed, 'www-authenticate', (value) => (isTokenChallenge(value) ? value : ''))
  filterHeader(passed, 'link', withoutFetchedLinks)
  if (passed['cache-control'] !== undefined)
    passed['cache-control'] = privateCacheControl(String(passed['cache-control']))
  if (given['x-request-id'] !== undefined) passed['x-service-request-id'] = given['x-request-id']
  return Object.assign(passed, SECURITY_HEADERS)
}

function filterHeader(headers: Record<string, string | string[]>, name: string, keep: (value: string) => string): void {
  const value = headers[name]
  if (value === undefined) return
  const kept = [value]
    .flat()
    .map(keep)
    .filter((each) => each !== '')
  if (kept.length === 0) delete headers[name]
  else headers[name] = kept.length === 1 ? kept[0]! : kept
}

function isTokenChallenge(challenge: string): boolean {
  return TOKEN_CHALLENGE.test(challenge) && !INTERACTIVE_CHALLENGE.test(challenge)
}

/** Only links with a relation, and none that a browser would fetch. */
function withoutFetchedLinks(links: string): string {
  return linksOf(links)
    .filter(({ relations }) => relations.length > 0 && !relations.some((relation) => FETCHED_RELATIONS.has(relation)))
    .map(({ text }) => text.trim())
    .join(', ')
}

// A response depends on the credential, and a shared cache in front of us must not give it to another person.
function privateCacheControl(cacheControl: string): string {
  const kept = cacheControl
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(public|s-maxage\b.*|proxy-revalidate|private)$/i.test(part))
  return kept.some((part) => /^no-store$/i.test(part)) ? kept.join(', ') : ['private', ...kept].join(', ')
}

function headersListedIn(connection: string | string[] | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  const names = [connection].flat().join(',').split(',')
  return new Set(names.map((name) => name.trim().toLowerCase()))
}
