import { createHmac, type KeyLike, sign } from 'node:crypto'
import { percentEncode } from '#platform/formats/percent-encode.ts'

/** The app's key for a service: a shared secret, or an RSA private key. */
export type OAuth1Key =
  | { method: 'HMAC-SHA1' | 'HMAC-SHA256' | 'PLAINTEXT'; consumerSecret: string; tokenSecret?: string | undefined }
  | { method: 'RSA-SHA1' | 'RSA-SHA256'; privateKey: KeyLike }

/** RFC 5849 sections 3.4.2 to 3.4.4, and the SHA-256 variants that some services use. */
export function oauth1Signature(key: OAuth1Key, baseString: string): string {
  if (key.method === 'PLAINTEXT') return sharedKey(key)
  const bytes = Buffer.from(baseString)
  if ('privateKey' in key) return sign(key.method, bytes, key.privateKey).toString('base64')
  const hash = key.method === 'HMAC-SHA1' ? 'sha1' : 'sha256'
  return createHmac(hash, sharedKey(key)).update(bytes).digest('base64')
}

function sharedKey(key: { consumerSecret: string; tokenSecret?: string | undefined }): string {
  return `${percentEncode(key.consumerSecret)}&${percentEncode(key.tokenSecret ?? '')}`
}
