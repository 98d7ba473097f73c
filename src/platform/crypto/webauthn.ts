import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

/** Where passkeys are valid. */
export interface RelyingParty {
  /** A host name. */
  id: string
  origin: string
}

/** Why a response of an authenticator was refused; for the log, not for the caller. */
export class WebAuthnError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebAuthnError'
  }
}

/** What the browser sends after it created a passkey; all as base64url. Attestation is not requested, so none is verified. */
export interface Registration {
  id: string
  clientDataJson: string
  authenticatorData: string
  /** SPKI, as DER: `getPublicKey()`. */
  publicKey: string
}

/** What the browser sends after a passkey signed; all as base64url. */
export interface Assertion {
  id: string
  clientDataJson: string
  authenticatorData: string
  signature: string
}

export interface NewPasskey {
  id: string
  publicKey: Buffer
  counter: number
}

const FLAG_PRESENT = 0x01
const FLAG_VERIFIED = 0x04
const FLAG_ATTESTED = 0x40
const HEAD_BYTES = 37
const AAGUID_BYTES = 16
/** Limit: bits of an RSA key of a passkey, at least; a shorter one is refused. */
const MIN_RSA_BITS = 2048
/** Limit: bytes of a public key and of the id of a credential. */
const MAX_KEY_BYTES = 2048

/** The challenge that a response answers, before it is verified. */
export function challengeIn(clientDataJson: string): string {
  return readClientData(clientDataJson).challenge
}

/** Checks a new passkey (WebAuthn Level 3, 7.1, without attestation). */
export function verifyRegistration(party: RelyingParty, challenge: string, given: Registration): NewPasskey {
  checkClientData(party, 'webauthn.create', challenge, given.clientDataJson)
  const data = bytesOf(given.authenticatorData)
  const { flags, counter } = readHead(party, data)
  if ((flags & FLAG_ATTESTED) === 0) throw new WebAuthnError('there is no credential in the authenticator data')
  const lengthAt = HEAD_BYTES + AAGUID_BYTES
  if (data.length < lengthAt + 2) throw new WebAuthnError('the authenticator data is too short')
  const length = data.readUInt16BE(lengthAt)
  const credential = data.subarray(lengthAt + 2, lengthAt + 2 + length)
  if (length === 0 || credential.length !== length || length > MAX_KEY_BYTES)
    throw new WebAuthnError('the id of the credential is missing or cut off')
  if (!credential.equals(bytesOf(given.id))) throw new WebAuthnError('the id is not that of the credential')
  const publicKey = bytesOf(given.publicKey)
  requireKnownKey(readKey(publicKey))
  return { id: credential.toString('base64url'), publicKey, counter }
}

/** Checks a signature (7.2). Returns the new counter. */
export function verifyAssertion(
  party: RelyingParty,
  challenge: string,
  given: Assertion,
  known: { publicKey: Buffer; counter: number },
): number {
  checkClientData(party, 'webauthn.get', challenge, given.clientDataJson)
  const data = bytesOf(given.authenticatorData)
  const { counter } = readHead(party, data)
  const signed = Buffer.concat([data, sha256(bytesOf(given.clientDataJson))])
  const key = readKey(known.publicKey)
  if (!verify(digestOf(requireKnownKey(key)), signed, key, bytesOf(given.signature)))
    throw new WebAuthnError('the signature is wrong')
  // A counter that does not grow is that of a copy. Synced passkeys always send 0.
  if ((counter !== 0 || known.counter !== 0) && counter <= known.counter)
    throw new WebAuthnError('the counter did not grow')
  return counter
}

interface ClientData {
  type: string
  challenge: string
  origin: string
  crossOrigin: boolean
}

function readClientData(text: string): ClientData {
  try {
    const value: unknown = JSON.parse(bytesOf(text).toString('utf8'))
    if (typeof value !== 'object' || value === null) throw new Error('not an object')
    const { type, challenge, origin, crossOrigin } = value as Record<string, unknown>
    return {
      type: String(type),
      challenge: String(challenge),
      origin: String(origin),
      crossOrigin: crossOrigin === true,
    }
  } catch {
    // Whatever is wrong with it, it is not what a browser sends.
    throw new WebAuthnError('the client data cannot be read')
  }
}

function checkClientData(party: RelyingParty, type: string, challenge: string, text: string): void {
  const data = readClientData(text)
  if (data.type !== type) throw new WebAuthnError(`the client data is of the type ${data.type}`)
  if (!isSame(Buffer.from(data.challenge), Buffer.from(challenge)))
    throw new WebAuthnError('another challenge was answered')
  if (data.origin !== party.origin) throw new WebAuthnError(`the origin is ${data.origin}`)
  if (data.crossOrigin) throw new WebAuthnError('a frame of another origin answered')
}

function readHead(party: RelyingParty, data: Buffer): { flags: number; counter: number } {
  if (data.length < HEAD_BYTES) throw new WebAuthnError('the authenticator data is too short')
  if (!isSame(data.subarray(0, 32), sha256(Buffer.from(party.id)))) throw new WebAuthnError('another party is meant')
  const flags = data.readUInt8(32)
  if ((flags & FLAG_PRESENT) === 0) throw new WebAuthnError('nobody was present')
  if ((flags & FLAG_VERIFIED) === 0) throw new WebAuthnError('the person was not verified')
  return { flags, counter: data.readUInt32BE(33) }
}

function readKey(spki: Buffer): KeyObject {
  if (spki.length > MAX_KEY_BYTES) throw new WebAuthnError('the public key is too long')
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' })
  } catch {
    // Not a key, whatever the reason.
    throw new WebAuthnError('the public key cannot be read')
  }
}

type KeyKind = 'ES256' | 'RS256' | 'EdDSA'

function requireKnownKey(key: KeyObject): KeyKind {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256'
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return 'RS256'
  if (type === 'ed25519') return 'EdDSA'
  throw new WebAuthnError(`keys of this kind are not accepted: ${type}`)
}

function digestOf(kind: KeyKind): string | null {
  return kind === 'EdDSA' ? null : 'sha256'
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
