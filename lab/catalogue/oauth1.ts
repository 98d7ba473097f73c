import { type Pair, parsePairs, without } from '../base/pairs.ts'
import { baseStringUri, signatureBaseString } from '../oauth1/base-string.ts'
import { signatureMatches } from '../oauth1/signature.ts'
import { type CallIn, type Reply, refused } from './call.ts'
import { LAB_KEY, LAB_SECRET, type LabEntry, type OAuth1Entry, pathOf } from './entry.ts'
import type { SignInPart } from './oauth2.ts'

interface RequestToken {
  secret: string
  callback: string
  verifier?: string
}

const SKEW_S = 300

/** The server of one entry with OAuth 1.0a (RFC 5849), with what the entry says it does differently. */
export function createOAuth1(entry: LabEntry, oauth1: OAuth1Entry): SignInPart {
  const method = oauth1.signature ?? 'HMAC-SHA1'
  const requestTokens = new Map<string, RequestToken>()
  const tokens = new Map<string, string>()
  const nonces = new Set<string>()
  const paths = {
    request: pathOf(entry, oauth1.request),
    authorize: pathOf(entry, oauth1.authorize),
    access: pathOf(entry, oauth1.access),
  }
  let issued = 0

  /** The protocol parameters of a call whose signature fits; otherwise what is wrong. */
  function verified(call: CallIn, secretOf: (token: string | undefined) => string | undefined) {
    const header = headerPairs(call.headers['authorization'])
    const oauth = new Map(header)
    if (oauth.get('oauth_consumer_key') !== LAB_KEY) return 'oauth_consumer_key'
    if (oauth.get('oauth_signature_method') !== method) return 'oauth_signature_method'
    const timestamp = oauth.get('oauth_timestamp')
    if (timestamp !== undefined && Math.abs(Date.now() / 1000 - Number(timestamp)) > SKEW_S) return 'oauth_timestamp'
    if (timestamp === undefined && method !== 'PLAINTEXT') return 'oauth_timestamp'
    const tokenSecret = secretOf(oauth.get('oauth_token'))
    if (tokenSecret === undefined) return 'oauth_token'
    const isForm = (call.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
    const [path = '', query = ''] = call.sent.split('?', 2)
    const signed = [...header, ...parsePairs(query), ...(isForm ? parsePairs(call.text) : [])]
    const uri = baseStringUri('http', call.headers['host'] ?? '', path)
    const base = signatureBaseString(call.method, uri, without(signed, 'oauth_signature'))
    const keys = { clientSecret: LAB_SECRET, tokenSecret }
    if (!signatureMatches(method, base, keys, oauth.get('oauth_signature') ?? '')) return 'oauth_signature'
    const nonce = JSON.stringify([timestamp, oauth.get('oauth_nonce'), oauth.get('oauth_token')])
    if (timestamp !== undefined && nonces.has(nonce)) return 'oauth_nonce'
    nonces.add(nonce)
    return oauth
  }

  function request(call: CallIn): Reply {
    const oauth = verified(call, (token) => (token === undefined ? '' : undefined))
    if (typeof oauth === 'string') return refused(401, oauth)
    const { scope } = oauth1
    const wanted = scope?.default.join(scope.separator ?? ' ')
    if (scope !== undefined && call.query.get(scope.name) !== wanted)
      return refused(400, `${scope.name} is not ${wanted}`)
    const callback = oauth.get('oauth_callback')
    if (callback === undefined) return refused(400, 'oauth_callback')
    issued += 1
    requestTokens.set(`request-${issued}`, { secret: `request-secret-${issued}`, callback })
    const fields = { oauth_token: `request-${issued}`, oauth_token_secret: `request-secret-${issued}` }
    return { status: 200, form: { ...fields, oauth_callback_confirmed: 'true' } }
  }

  function authorize({ query }: CallIn): Reply {
    const key = query.get('oauth_token') ?? ''
    const token = requestTokens.get(key)
    if (token === undefined || token.verifier !== undefined) return refused(400, 'oauth_token')
    token.verifier = `verifier-${key}`
    const back = new URL(token.callback)
    back.searchParams.set('oauth_token', key)
    back.searchParams.set('oauth_verifier', token.verifier)
    return { status: 302, headers: { location: back.href } }
  }

  /** RFC 5849 2.3: a request token is used once. */
  function access(call: CallIn): Reply {
    const oauth = verified(call, (token) => requestTokens.get(token ?? '')?.secret)
    if (typeof oauth === 'string') return refused(401, oauth)
    const key = oauth.get('oauth_token')!
    const verifier = requestTokens.get(key)?.verifier
    requestTokens.delete(key)
    if (verifier === undefined || oauth.get('oauth_verifier') !== verifier) return refused(401, 'oauth_verifier')
    issued += 1
    tokens.set(`access-${issued}`, `access-secret-${issued}`)
    return { status: 200, form: { oauth_token: `access-${issued}`, oauth_token_secret: `access-secret-${issued}` } }
  }

  return {
    answer: (call) => {
      if (call.path === paths.authorize && call.method === 'GET' && call.query.has('oauth_token'))
        return authorize(call)
      const has = call.headers['authorization']?.includes('oauth_callback="') === true
      if (call.path === paths.request && has) return request(call)
      return call.path === paths.access && call.headers['authorization']?.includes('oauth_verifier="') === true
        ? access(call)
        : undefined
    },
    isAuthorized: (call) => typeof verified(call, (token) => tokens.get(token ?? '')) !== 'string',
    expire: () => tokens.clear(),
    living: () => tokens.size,
  }
}

function headerPairs(header: string | undefined): Pair[] {
  if (!/^OAuth /i.test(header ?? '')) return []
  return [...header!.matchAll(/([a-z_]+)="([^"]*)"/g)]
    .map(([, name = '', value = '']): Pair => [name, decodeURIComponent(value)])
    .filter(([name]) => name !== 'realm')
}
