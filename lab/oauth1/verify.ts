import type { ServiceClock } from '../base/clock.ts'
import type { LabRequest } from '../base/request.ts'
import { baseStringUri, signatureBaseString } from './base-string.ts'
import { oauth1Error } from './error.ts'
import type { Nonces } from './nonces.ts'
import type { OAuth1Settings } from './settings.ts'
import { signatureMatches, signatureMethods } from './signature.ts'
import type { AccessToken, OAuth1Client, OAuth1Stores, RequestToken } from './stores.ts'
import { collectParameters } from './transmission.ts'

export interface Verifier {
  clock: ServiceClock
  settings: OAuth1Settings
  stores: OAuth1Stores
  nonces: Nonces
}

export interface Verified<T> {
  client: OAuth1Client
  token: T
  oauth: Map<string, string>
}

type TokenKinds = { none: undefined; request: RequestToken; access: AccessToken }

/** RFC 5849 3.2: all checks of a signed request, cheapest and least revealing first. */
export function verify<W extends keyof TokenKinds>(
  parts: Verifier,
  request: LabRequest,
  expected: W,
): Verified<TokenKinds[W]> {
  const { settings } = parts
  const malformed = (check: string, detail: string) => oauth1Error(check, detail, settings.malformedStatus)
  const collected = collectParameters(request, settings.malformedStatus)
  const { oauth } = collected
  if (!settings.transmissions.includes(collected.sentBy))
    throw malformed('parameter_rejected', `OAuth parameters may not come by ${collected.sentBy}`)
  const required = (name: string) => {
    const value = oauth.get(name)
    if (value === undefined || value === '') throw malformed('parameter_absent', name)
    return value
  }
  const key = required('oauth_consumer_key')
  const methodName = required('oauth_signature_method')
  const signature = required('oauth_signature')
  const version = oauth.get('oauth_version')
  if (version !== undefined && version !== '1.0') throw malformed('version_rejected', version)
  const method = signatureMethods.find((name) => name === methodName)
  if (!method || !settings.methods.includes(method)) throw malformed('signature_method_rejected', methodName)
  const client = parts.stores.client(key)
  if (!client) throw oauth1Error('consumer_key_unknown', key)
  const timestamp = method === 'PLAINTEXT' && !oauth.has('oauth_timestamp') ? undefined : required('oauth_timestamp')
  const nonce = timestamp === undefined ? undefined : required('oauth_nonce')
  if (timestamp !== undefined) checkTimestamp(parts, timestamp)
  const token = findToken(parts, client, oauth, expected)
  const baseString = signatureBaseString(request.method, requestUri(request), collected.signed)
  const keys = { clientSecret: client.secret, tokenSecret: token?.secret ?? '' }
  const withKey = client.publicKey === undefined ? keys : { ...keys, publicKey: client.publicKey }
  if (!signatureMatches(method, baseString, withKey, signature))
    throw oauth1Error('signature_invalid', `the base string here is ${baseString}`)
  if (timestamp !== undefined) useNonce(parts, [timestamp, nonce ?? '', key, token?.key ?? ''])
  return { client, token, oauth } as Verified<TokenKinds[W]>
}

const requestUri = (request: LabRequest): string => baseStringUri('http', request.headers.host ?? '', request.path)

function checkTimestamp({ settings, clock }: Verifier, timestamp: string): void {
  if (!/^[1-9]\d*$/.test(timestamp))
    throw oauth1Error('timestamp_refused', 'not a positive whole number', settings.malformedStatus)
  const skewSeconds = Math.abs(clock.now() / 1000 - Number(timestamp))
  if (skewSeconds > settings.skewSeconds)
    throw oauth1Error('timestamp_refused', `${Math.round(skewSeconds)} seconds away from this clock`)
}

/** Called only after the signature is verified: an attacker must not be able to use up a client's nonces. */
function useNonce({ nonces, settings }: Verifier, key: string[]): void {
  if (!nonces.useOnce(JSON.stringify(key), settings.skewSeconds * 2000)) throw oauth1Error('nonce_used', key[1] ?? '')
}

function findToken(parts: Verifier, client: OAuth1Client, oauth: Map<string, string>, expected: keyof TokenKinds) {
  const key = oauth.get('oauth_token')
  if (expected === 'none') {
    // RFC 5849 3.1: the parameter may be absent or empty if the request has no token.
    if (key !== undefined && key !== '') throw oauth1Error('token_rejected', 'no token belongs into this request')
    return undefined
  }
  if (key === undefined || key === '')
    throw oauth1Error('parameter_absent', 'oauth_token', parts.settings.malformedStatus)
  const token = expected === 'request' ? parts.stores.requestToken(key) : parts.stores.accessToken(key)
  if (!token) throw oauth1Error('token_rejected', 'unknown, used, expired or revoked')
  if (token.client !== client) throw oauth1Error('token_rejected', 'the token belongs to another consumer')
  if (token.kind === 'request' && token.expiresAtMs <= parts.clock.now())
    throw oauth1Error('token_expired', 'request token')
  return token
}
