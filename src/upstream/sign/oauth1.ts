import { percentEncode } from '#platform/formats/percent-encode.ts'
import { type EncodedPair, formPairs, signatureBaseString } from './oauth1-base-string.ts'
import { type OAuth1Key, oauth1Signature } from './oauth1-signature.ts'

export interface OAuth1Request {
  method: string
  url: string
  /** The body, only if its content type is application/x-www-form-urlencoded: only a form is signed. */
  formBody?: string | undefined
}

export interface OAuth1Options {
  consumerKey: string
  key: OAuth1Key
  token?: string | undefined
  /** Unique among requests with the same timestamp; from a random source. */
  nonce: string
  nowMs: number
  /** Where the protocol parameters are sent (RFC 5849 section 3.5). Default: the Authorization header. */
  carrier?: 'header' | 'query' | 'body' | undefined
  /** Sent in the header, never signed. */
  realm?: string | undefined
  /** Further protocol parameters: oauth_callback, oauth_verifier, oauth_body_hash, … */
  extra?: Readonly<Record<string, string>> | undefined
  /** `oauth_version="1.0"` is optional in the RFC, but some services require it. Default: sent. */
  sendVersion?: boolean | undefined
}

export interface SignedRequest {
  method: string
  /** The URL that was signed; it must be sent unchanged. */
  url: string
  headers: Record<string, string>
  formBody?: string
}

/** Signs one request by RFC 5849. */
export function signOAuth1(options: OAuth1Options, request: OAuth1Request): SignedRequest {
  const url = new URL(request.url)
  // A fragment is never sent.
  url.hash = ''
  const protocol = protocolPairs(options)
  const parameters = [...formPairs(url.search.slice(1)), ...formPairs(request.formBody ?? ''), ...protocol]
  const signature = oauth1Signature(options.key, signatureBaseString(request.method, url, parameters))
  return addToRequest(options, request, url, [...protocol, ['oauth_signature', percentEncode(signature)]])
}

function protocolPairs(options: OAuth1Options): EncodedPair[] {
  const parameters: Record<string, string> = {
    oauth_consumer_key: options.consumerKey,
    ...(options.token === undefined ? {} : { oauth_token: options.token }),
    oauth_signature_method: options.key.method,
    oauth_timestamp: String(Math.floor(options.nowMs / 1000)),
    oauth_nonce: options.nonce,
    ...(options.sendVersion === false ? {} : { oauth_version: '1.0' }),
    ...options.extra,
  }
  return Object.entries(parameters).map(([name, value]) => [percentEncode(name), percentEncode(value)])
}

function addToRequest(options: OAuth1Options, request: OAuth1Request, url: URL, pairs: EncodedPair[]): SignedRequest {
  const { method, formBody } = request
  const body = formBody === undefined ? {} : { formBody }
  const joined = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  if (options.carrier === 'body') {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method, url: url.href, headers, formBody: formBody ? `${formBody}&${joined}` : joined }
  }
  if (options.carrier === 'query') {
    url.search = url.search ? `${url.search}&${joined}` : `?${joined}`
    return { method, url: url.href, headers: {}, ...body }
  }
  return { method, url: url.href, headers: { authorization: headerValue(options.realm, pairs) }, ...body }
}

function headerValue(realm: string | undefined, pairs: EncodedPair[]): string {
  const parameters = pairs.map(([name, value]) => `${name}="${value}"`)
  if (realm !== undefined) parameters.unshift(`realm="${escapeQuotes(realm)}"`)
  return `OAuth ${parameters.join(', ')}`
}

function escapeQuotes(realm: string): string {
  if (!/^[\t\x20-\x7e]*$/.test(realm)) throw new RangeError('OAuth realm must be printable ASCII')
  return realm.replace(/["\\]/g, '\\$&')
}
