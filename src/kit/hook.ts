import type { Hook, Sign } from './connector.ts'

/** The question of WebSub and of what follows it: echoes `hub.challenge` when `hub.verify_token` is the secret. */
export function hubChallenge(query: Record<string, string>, secret: string, sign: Sign): string | undefined {
  const isOurs = query['hub.mode'] === 'subscribe' && sameText(sign, query['hub.verify_token'] ?? '', secret)
  return isOurs ? query['hub.challenge'] : undefined
}

/** A header holds the HMAC of the body, in hex, after a prefix such as `sha256=`. */
export function signedBody(options: { header: string; algorithm: 'sha1' | 'sha256'; prefix: string }): Hook['verify'] {
  return ({ headers, body, sign }) => {
    const given = headers[options.header]
    if (given === undefined) return false
    return sameText(sign, given.toLowerCase(), options.prefix + sign(options.algorithm, body).toLowerCase())
  }
}

/** Compares by way of signatures, so that the time it takes tells nothing of a secret. */
export function sameText(sign: Sign, one: string, other: string): boolean {
  return sign('sha256', one) === sign('sha256', other)
}
