import { sign } from 'node:crypto'
import type { CallIn, Reply } from './call.ts'
import { LAB_KEY, type LabEntry, pathOf, setAt } from './entry.ts'
import { labPublicKey, labSigningKey } from './keys.ts'

const LIFETIME_S = 300

/** The keys of an issuer of the lab (RFC 7517). */
export const publishedKeys = (): Reply => ({
  status: 200,
  body: { keys: [{ ...labPublicKey('RS256').export({ format: 'jwk' }), kid: 'lab', alg: 'RS256', use: 'sig' }] },
})

/** The ID token of a sign-in (OpenID Connect Core 2), of the issuer as this call reached it. */
export function idTokenFor(entry: LabEntry, issuer: string, call: CallIn, nonce: string | undefined): string {
  const [sent = ''] = call.sent.split('?')
  const before = sent.slice(0, sent.length - call.path.length)
  const now = Math.floor(Date.now() / 1000)
  const claims: Record<string, unknown> = {
    iss: `http://${call.headers['host']}${before}${pathOf(entry, issuer)}`,
    aud: LAB_KEY,
    iat: now,
    exp: now + LIFETIME_S,
    ...(nonce === undefined ? {} : { nonce }),
  }
  if (entry.self.name !== undefined) setAt(claims, entry.self.name, 'Ada')
  if (entry.self.id !== undefined) setAt(claims, entry.self.id, 'person-1')
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encoded({ alg: 'RS256', kid: 'lab' })}.${encoded(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), labSigningKey('RS256')).toString('base64url')}`
}
