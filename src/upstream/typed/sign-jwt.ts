import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto'
import type { TypedJwt } from '#kit/auth/typed-signing.ts'
import { type PlaceholderValues, placeholdersIn } from '#kit/endpoints/placeholders.ts'
import { jose } from '../jose.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillPlaceholders } from '../request/fill-placeholders.ts'

/** Clocks differ: a service refuses a token from its future. */
const CLOCK_TOLERANCE_S = 30

/** Signs the token that a typed key stands for. */
export async function signJwt(
  { algorithm, key, header = {}, claims, lifetimeS }: TypedJwt,
  values: PlaceholderValues,
  nowMs: number,
): Promise<{ jwt: string; expiresAt: number }> {
  const nowS = Math.floor(nowMs / 1000)
  const fill = (text: string) => fillPlaceholders(text, values)
  const given = Object.entries(claims).filter(([, text]) => placeholdersIn(text).every((name) => values[name] !== ''))
  const signer = new (jose().SignJWT)(Object.fromEntries(given.map(([name, text]) => [name, fill(text)])))
    .setProtectedHeader({
      ...Object.fromEntries(Object.entries(header).map(([name, text]) => [name, fill(text)])),
      alg: algorithm,
      typ: 'JWT',
    })
    .setIssuedAt(nowS - CLOCK_TOLERANCE_S)
    .setExpirationTime(nowS + lifetimeS)
  try {
    const jwt = await signer.sign(keyIn(fill(key), algorithm))
    return { jwt, expiresAt: (nowS + lifetimeS) * 1000 }
  } catch (cause) {
    // Its message may have a part of the key.
    const name = cause instanceof Error ? cause.name : ''
    throw new UpstreamError('reauthorize', `The key that was typed cannot sign (${name})`, {
      reason: 'service_refused',
    })
  }
}

function keyIn(text: string, algorithm: string): KeyObject {
  return algorithm.startsWith('HS') ? createSecretKey(Buffer.from(text)) : createPrivateKey(pemIn(text))
}

/** A field has one line, and key files have `\n` in JSON: whatever stands between the marks is the key. */
function pemIn(text: string): string {
  const [, label, content] = /-----BEGIN ([A-Z ]+)-----([^-]+)-----END/.exec(text.replaceAll(/\\n|\s+/g, ' ')) ?? []
  if (label === undefined || content === undefined) return text
  const lines = content.replaceAll(' ', '').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
