import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { suite, test } from 'node:test'
import { challengeIn, verifyAssertion, verifyRegistration, WebAuthnError } from './webauthn.ts'

const party = { id: 'tributary.example', origin: 'https://tributary.example' }
const challenge = randomBytes(32).toString('base64url')
const id = randomBytes(32)

const KEYS = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
}

const encoded = (value: Uint8Array | string) => Buffer.from(value).toString('base64url')
const clientData = (fields: object) =>
  encoded(JSON.stringify({ challenge, origin: party.origin, crossOrigin: false, ...fields }))
const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' })

function head({ rpId = party.id, flags = 0x05, counter = 1 } = {}): Buffer {
  const rest = Buffer.alloc(5)
  rest.writeUInt8(flags, 0)
  rest.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), rest])
}

function registration({
  publicKey = KEYS.ES256.publicKey,
  of = {},
  client = {},
  rest = undefined as Buffer | undefined,
} = {}) {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(id.length)
  const attested = rest ?? Buffer.concat([Buffer.alloc(16), length, id, Buffer.from('a0', 'hex')])
  return {
    id: encoded(id),
    clientDataJson: clientData({ type: 'webauthn.create', ...client }),
    authenticatorData: encoded(Buffer.concat([head({ flags: 0x45, ...of }), attested])),
    publicKey: encoded(spki(publicKey)),
  }
}

function assertion(kind: keyof typeof KEYS, { of = {}, client = {} } = {}) {
  const data = head(of)
  const clientDataJson = clientData({ type: 'webauthn.get', ...client })
  const signed = Buffer.concat([data, createHash('sha256').update(Buffer.from(clientDataJson, 'base64url')).digest()])
  const signature = sign(kind === 'EdDSA' ? null : 'sha256', signed, KEYS[kind].privateKey)
  return { id: encoded(id), clientDataJson, authenticatorData: encoded(data), signature: encoded(signature) }
}

const known = (kind: keyof typeof KEYS, counter = 0) => ({ publicKey: spki(KEYS[kind].publicKey), counter })
const refused = (run: () => unknown, why: RegExp) =>
  assert.throws(run, (error) => error instanceof WebAuthnError && why.test(error.message))

suite('a new passkey', () => {
  test('is accepted with each kind of key', () => {
    for (const { publicKey } of Object.values(KEYS)) {
      const made = verifyRegistration(party, challenge, registration({ publicKey }))
      assert.deepEqual(made, { id: encoded(id), publicKey: spki(publicKey), counter: 1 })
    }
    assert.equal(challengeIn(registration().clientDataJson), challenge)
  })

  test('is refused when something about it is wrong', () => {
    const cases: [Parameters<typeof registration>[0], RegExp][] = [
      [{ client: { type: 'webauthn.get' } }, /type/],
      [{ client: { challenge: encoded('other') } }, /challenge/],
      [{ client: { origin: 'https://evil.example' } }, /origin/],
      [{ client: { origin: 'http://tributary.example' } }, /origin/],
      [{ client: { crossOrigin: true } }, /frame/],
      [{ of: { rpId: 'evil.example' } }, /party/],
      [{ of: { flags: 0x44 } }, /present/],
      [{ of: { flags: 0x41 } }, /verified/],
      [{ of: { flags: 0x05 } }, /no credential/],
      [{ rest: Buffer.alloc(0) }, /too short/],
      [{ rest: Buffer.concat([Buffer.alloc(16), Buffer.from([0, 32]), id.subarray(1)]) }, /cut off/],
      [{ rest: Buffer.concat([Buffer.alloc(16), Buffer.from([0, 0])]) }, /missing/],
      [{ publicKey: generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey }, /kind/],
      [{ publicKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey }, /kind/],
      [{ publicKey: generateKeyPairSync('x25519').publicKey }, /kind/],
    ]
    for (const [given, why] of cases) refused(() => verifyRegistration(party, challenge, registration(given)), why)
    refused(() => verifyRegistration(party, challenge, { ...registration(), id: encoded('other') }), /not that/)
    refused(() => verifyRegistration(party, challenge, { ...registration(), publicKey: '' }), /cannot be read/)
    refused(
      () => verifyRegistration(party, challenge, { ...registration(), publicKey: encoded(Buffer.alloc(3000)) }),
      /too long/,
    )
    for (const clientDataJson of ['', encoded('null'), encoded('{'), encoded('[]')])
      refused(() => verifyRegistration(party, challenge, { ...registration(), clientDataJson }), /./)
  })
})

suite('a signature of a passkey', () => {
  test('is accepted with each kind of key, and returns the counter', () => {
    for (const kind of ['ES256', 'RS256', 'EdDSA'] as const)
      assert.equal(verifyAssertion(party, challenge, assertion(kind, { of: { counter: 7 } }), known(kind, 6)), 7)
    assert.equal(verifyAssertion(party, challenge, assertion('ES256', { of: { counter: 0 } }), known('ES256')), 0)
  })

  test('is refused when something about it is wrong', () => {
    const cases: [Parameters<typeof assertion>[1], RegExp][] = [
      [{ client: { type: 'webauthn.create' } }, /type/],
      [{ client: { challenge: encoded('other') } }, /challenge/],
      [{ client: { origin: 'https://evil.example' } }, /origin/],
      [{ of: { rpId: 'evil.example' } }, /party/],
      [{ of: { flags: 0x04 } }, /present/],
      [{ of: { flags: 0x01 } }, /verified/],
    ]
    for (const [given, why] of cases)
      refused(() => verifyAssertion(party, challenge, assertion('ES256', given), known('ES256')), why)
    const right = assertion('ES256')
    for (const counter of [1, 2])
      refused(() => verifyAssertion(party, challenge, right, known('ES256', counter)), /counter/)
    refused(
      () => verifyAssertion(party, challenge, assertion('ES256', { of: { counter: 0 } }), known('ES256', 3)),
      /counter/,
    )
    refused(() => verifyAssertion(party, challenge, right, known('EdDSA')), /signature/)
    refused(() => verifyAssertion(party, challenge, { ...right, signature: '' }, known('ES256')), /signature/)
    refused(
      () => verifyAssertion(party, challenge, { ...right, authenticatorData: encoded('x') }, known('ES256')),
      /short/,
    )
    const changed = clientData({ type: 'webauthn.get', extra: 1 })
    refused(() => verifyAssertion(party, challenge, { ...right, clientDataJson: changed }, known('ES256')), /signature/)
  })
})
