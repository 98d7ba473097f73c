import type { Hook, Sign } from './connector.ts'

/**
 * A `handshake` for services that verify a webhook address as WebSub does: echoes `hub.challenge` when `hub.verify_token` is the
 * secret.
 */
export function hubChallenge(query: Record<string, string>, secret: string, sign: Sign): string | undefined {
  const isOurs = query['hub.mode'] === 'subscribe' && sameText(sign, query['hub.verify_token'] ?? '', secret)
  return isOurs ? query['hub.challenge'] : undefined
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

/** Compares the HMACs of two texts, so that the time it takes reveals nothing about a secret. */
export function sameText(sign: Sign, one: string, other: string): boolean {
  return sign('sha256', one) === sign('sha256', other)
}
