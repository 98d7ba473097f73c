import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import type { JsonObject } from '#kit/auth/auth.ts'
import { jose } from '../jose.ts'

export interface ProofInput {
  key: JsonObject
  method: string
  url: string
  nowMs: number
  jti: string
  nonce?: string | undefined
  /** The access token of the request; undefined at token endpoints. */
  token?: string | undefined
}

/** Each grant has its own key, so that grants cannot be linked by it. */
export async function createDpopKey(): Promise<JsonObject> {
  const { exportJWK, generateKeyPair } = jose()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return exportJWK(privateKey)
}

/** A DPoP proof (RFC 9449 section 4.2). */
export async function dpopProof({ key, method, url, nowMs, jti, nonce, token }: ProofInput): Promise<string> {
  const { kty, crv, x, y } = key as JWK
  const target = new URL(url)
  const claims = {
    jti,
    htm: method,
    htu: `${target.origin}${target.pathname}`,
    iat: Math.floor(nowMs / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
  }
  const { importJWK, SignJWT } = jose()
  return new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } as JWK })
    .sign(await importJWK(key as JWK, 'ES256'))
}
