import type { HandshakeResponse, Hook, Sign } from './connector.ts'

/** Limit: characters of a challenge that a handshake echoes; a longer one is refused. */
const MAX_CHALLENGE = 512
// Plain text that no browser and no parser of ours takes for anything else.
const CHALLENGE = /^[\w .:~+/=%@-]+$/

/** A challenge that may be echoed; undefined for anything else. */
export function challenge(text: unknown): string | undefined {
  return typeof text === 'string' && text.length <= MAX_CHALLENGE && CHALLENGE.test(text) ? text : undefined
}

/**
 * A `handshake` for services that verify a webhook address as WebSub does: echoes `hub.challenge` when `hub.verify_token` is the
 * secret.
 */
export function hubChallenge(query: Record<string, string>, secret: string, sign: Sign): string | undefined {
  const isOurs = query['hub.mode'] === 'subscribe' && sameText(sign, query['hub.verify_token'] ?? '', secret)
  return isOurs ? challenge(query['hub.challenge']) : undefined
}

/** A `handshake` for services that send a token by POST in the address (`validationToken`) and expect it as text. */
export function validationToken(name = 'validationToken'): NonNullable<Hook['handshake']> {
  return (query, _secret, _sign, { method }) => (method === 'POST' ? challenge(query[name]) : undefined)
}

/** A `handshake` for services that post `{"type": "url_verification", "challenge": "…"}` and expect the challenge. */
export const urlVerification: NonNullable<Hook['handshake']> = (_query, _secret, _sign, request) => {
  const body = request.method === 'POST' ? jsonIn(request.body) : undefined
  return body?.['type'] === 'url_verification' ? challenge(body['challenge']) : undefined
}

/**
 * A `handshake` for services that post a token in `payload.plainToken` of the event `endpoint.url_validation` and expect it with
 * its HMAC.
 */
export const signedToken: NonNullable<Hook['handshake']> = (
  _query,
  _secret,
  sign,
  request,
): HandshakeResponse | undefined => {
  const body = request.method === 'POST' ? jsonIn(request.body) : undefined
  if (body?.['event'] !== 'endpoint.url_validation') return undefined
  const payload = body['payload']
  const plainToken = challenge(
    typeof payload === 'object' && payload !== null && 'plainToken' in payload ? payload.plainToken : undefined,
  )
  return plainToken === undefined ? undefined : { json: { plainToken, encryptedToken: sign('sha256', plainToken) } }
}

/**
 * A `verify` for services that send the HMAC of the body in a header, in hex and after a prefix:
 * `signedBody({ header: 'x-hub-signature-256', algorithm: 'sha256', prefix: 'sha256=' })`.
 */
export function signedBody(options: { header: string; algorithm: 'sha1' | 'sha256'; prefix: string }): Hook['verify'] {
  return ({ headers, body, sign }) => {
    const given = headers[options.header]
    if (given === undefined) return false
    return sameText(sign, given.toLowerCase(), options.prefix + sign(options.algorithm, body).toLowerCase())
  }
}

/**
 * `verify` and `signedAt` for services that sign a time, in seconds, together with the body: `v0:1531420618:{"…"}`.
 * `timedSignature({ signature: 'x-slack-signature', time: 'x-slack-request-timestamp' })`.
 */
export function timedSignature(headers: {
  signature: string
  time: string
}): Required<Pick<Hook, 'verify' | 'signedAt'>> {
  return {
    verify: (input) => {
      const [given, time] = [input.headers[headers.signature], input.headers[headers.time]]
      if (given === undefined || time === undefined) return false
      return sameText(input.sign, given, `v0=${input.sign('sha256', `v0:${time}:${input.body}`)}`)
    },
    signedAt: (input) => {
      const seconds = input.headers[headers.time] ?? ''
      return /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1000 : undefined
    },
  }
}

/** Compares the HMACs of two texts, so that the time it takes reveals nothing about a secret. */
export function sameText(sign: Sign, one: string, other: string): boolean {
  return sign('sha256', one) === sign('sha256', other)
}

function jsonIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    // Anybody can call the hook, so a body that is not JSON is expected.
    return undefined
  }
}
