import { createPrivateKey } from 'node:crypto'
import type { OAuth1 } from '#kit/auth.ts'
import { UpstreamError } from '../errors.ts'
import type { ServiceKey } from '../service-key.ts'
import type { OAuth1Key } from '../sign/oauth1-signature.ts'

/** What signs: the app's secret with the token's, or the private key that the secret is for RSA. */
export function signingKey(auth: OAuth1, key: ServiceKey, tokenSecret: string | undefined): OAuth1Key {
  const method = auth.signature
  if (method !== 'RSA-SHA1') return { method, consumerSecret: key.secret, tokenSecret }
  try {
    return { method, privateKey: createPrivateKey(key.secret) }
  } catch {
    // The platform's message may quote the key, so it is not kept.
    throw new UpstreamError('stop', 'The app’s secret for this service is no private key (PEM)', {
      reason: 'keys_refused',
    })
  }
}
