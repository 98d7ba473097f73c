import type { Deletion } from './deletion.ts'

interface Payload {
  algorithm?: unknown
  issued_at?: unknown
  user_id?: unknown
}

/**
 * The callbacks of Meta's platform: a form with `signed_request`, that is, signature and payload in base64url, joined by a dot.
 * The payload names the algorithm, which must be the one that is verified.
 */
export const signedRequest: Deletion = {
  read: ({ body }, sign) => {
    const [signature = '', payload = '', ...rest] = (new URLSearchParams(body).get('signed_request') ?? '').split('.')
    if (rest.length > 0 || payload === '') return undefined
    if (!sameBytes(Buffer.from(signature, 'base64url'), sign(payload))) return undefined
    const { algorithm, issued_at: issuedAt, user_id: userId } = readPayload(payload)
    if (typeof algorithm !== 'string' || algorithm.toUpperCase() !== 'HMAC-SHA256') return undefined
    if (typeof issuedAt !== 'number') return undefined
    if (typeof userId !== 'string' && typeof userId !== 'number') return undefined
    return { person: String(userId), at: issuedAt * 1000 }
  },
}

/** Reads every byte, so that the time it takes does not tell where two values differ. */
function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0)
  return difference === 0
}

function readPayload(payload: string): Payload {
  try {
    // A whole number beyond 2^53 loses digits, so ids are sent as text.
    const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    // It is signed, but not JSON: the caller refuses it.
    return {}
  }
}
