import { createPrivateKey } from 'node:crypto'
import type { OAuth1 } from '#kit/auth/auth.ts'
import { UpstreamError } from '../request/errors.ts'
import type { ServiceKey } from '../request/service-key.ts'
import type { OAuth1Key } from '../sign/oauth1-signature.ts'

/** The signing key: the app's secret with the token's, or for RSA the private key that the app's secret holds. */
export function signingKey(auth: OAuth1, key: ServiceKey, tokenSecret: string | undefined): OAuth1Key {
  const method = auth.signature
  if (method !== 'RSA-SHA1') return { method, consumerSecret: key.secret, tokenSecret }
  try {
    return { method, privateKey: createPrivateKey(key.secret) }
  } catch {
    // Without a cause, because the platform's message may quote the key.
    throw new UpstreamError('stop', 'The app’s secret for this service is not a private key (PEM)', {
      reason: 'keys_refused',
    })
  }
}
