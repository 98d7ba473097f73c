import { linksOf } from '#kit/pages.ts'

/** What a caller may say to the service; everything else stays here, our own credentials first of all. */
const PASSED = new Set(
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
// Vendors put versions and arguments into headers of their own; addresses and identities of ours never go along.
const VENDOR = /^(x-[\w-]+|[\w-]+-version|(dropbox-api|atproto|upload|tus|odata|sforce|graphql|stripe|google)-[\w-]+)$/
const OURS =
  /^x-(forwarded|real-ip|request-id|correlation-id|tributary|amzn-trace|envoy|b3|cloud-trace|client-ip|cluster-client|original|rewrite|http-method|method-override|host|proxy|url|waf|remote|true-client)/

/** Names that speak of one connection alone (RFC 9110 7.6.1), with those that `Connection` itself lists. */
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

/** Never shown to the caller: cookies, rules that the service meant for its own origin, orders to caches and servers in front of us. */
const WITHHELD = new Set(
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
const WITHHELD_KINDS =
  /^(?:access-control-|cross-origin-|attribution-reporting-|sec-|x-tributary-|x-accel-|x-litespeed-)/

/** What comes from elsewhere must not run on our origin, whatever it says it is. */
const HARMLESS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  // Our addresses may hold a token.
  'referrer-policy': 'no-referrer',
}

// Challenges that a program answers. Any other makes a browser ask for a password, and name our address beside the question.
const CHALLENGE = /^(bearer|dpop|oauth)\b/i
const ASKS_A_PERSON = /\b(basic|digest|negotiate|ntlm|kerberos|mutual|hoba|scram)\b/i
/** Links that a browser follows by itself, before anybody has looked. */
const FETCHED = new Set(
  'preload modulepreload preconnect dns-prefetch prefetch prerender stylesheet compression-dictionary icon manifest expect'.split(
    ' ',
  ),
)

type Headers = NodeJS.Dict<string | string[]>

export function requestHeaders(given: Headers): Record<string, string> {
  const named = listed(given['connection'])
  const passed: Record<string, string> = {}
  for (const name in given) {
    const value = given[name]
    if (value === undefined || named?.has(name) === true || !mayPass(name)) continue
    passed[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return passed
}

function mayPass(name: string): boolean {
  return PASSED.has(name) || (VENDOR.test(name) && !OURS.test(name))
}

/** Untouched but for what speaks of the connection, of cookies, and of who may read, keep or run it. */
export function responseHeaders(given: Headers): Record<string, string | string[]> {
  const named = listed(given['connection'])
  const passed: Record<string, string | string[]> = {}
  for (const name in given) {
    const value = given[name]
    if (value === undefined || HOP_BY_HOP.has(name) || WITHHELD.has(name) || named?.has(name) === true) continue
    if (!WITHHELD_KINDS.test(name) && !name.endsWith('cdn-cache-control')) passed[name] = value
  }
  narrow(passed, 'www-authenticate', (value) => (isForPrograms(value) ? value : ''))
  narrow(passed, 'link', readOnly)
  if (passed['cache-control'] !== undefined) passed['cache-control'] = forOneReader(String(passed['cache-control']))
  if (given['x-request-id'] !== undefined) passed['x-service-request-id'] = given['x-request-id']
  return Object.assign(passed, HARMLESS)
}

function narrow(headers: Record<string, string | string[]>, name: string, keep: (value: string) => string): void {
  const value = headers[name]
  if (value === undefined) return
  const kept = [value]
    .flat()
    .map(keep)
    .filter((each) => each !== '')
  if (kept.length === 0) delete headers[name]
  else headers[name] = kept.length === 1 ? kept[0]! : kept
}

function isForPrograms(challenge: string): boolean {
  return CHALLENGE.test(challenge) && !ASKS_A_PERSON.test(challenge)
}

/** Links that say what they are, and none that a browser would fetch. */
function readOnly(links: string): string {
  return linksOf(links)
    .filter(({ relations }) => relations.length > 0 && !relations.some((relation) => FETCHED.has(relation)))
    .map(({ text }) => text.trim())
    .join(', ')
}

// At the service the address and the credential name a person together; at our address, a cache in between must not mix them up.
function forOneReader(cacheControl: string): string {
  const kept = cacheControl
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^(public|s-maxage\b.*|proxy-revalidate|private)$/i.test(part))
  return kept.some((part) => /^no-store$/i.test(part)) ? kept.join(', ') : ['private', ...kept].join(', ')
}

function listed(connection: string | string[] | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  const names = [connection].flat().join(',').split(',')
  return new Set(names.map((name) => name.trim().toLowerCase()))
}
