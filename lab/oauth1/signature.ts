import { createHmac, createVerify, timingSafeEqual } from 'node:crypto'
import { percentEncode } from './percent.ts'

export const signatureMethods = ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'PLAINTEXT'] as const
export type SignatureMethod = (typeof signatureMethods)[number]

interface Keys {
  clientSecret: string
  tokenSecret: string
  publicKey?: string
}

/** RFC 5849 3.4.2 to 3.4.4. */
export function signatureMatches(method: SignatureMethod, baseString: string, keys: Keys, signature: string): boolean {
  const key = `${percentEncode(keys.clientSecret)}&${percentEncode(keys.tokenSecret)}`
  switch (method) {
    case 'HMAC-SHA1':
      return sameText(hmac('sha1', key, baseString), signature)
    case 'HMAC-SHA256':
      return sameText(hmac('sha256', key, baseString), signature)
    case 'RSA-SHA1':
      if (keys.publicKey === undefined) return false
      return createVerify('RSA-SHA1').update(baseString).verify(keys.publicKey, signature, 'base64')
    case 'PLAINTEXT':
      return sameText(key, signature)
    default:
      return method satisfies never
  }
}

const hmac = (hash: string, key: string, text: string): string => createHmac(hash, key).update(text).digest('base64')

function sameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
