import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import { createDpopNonces } from '../request/dpop-nonces.ts'
import { createDpopKey, dpopProof } from './proof.ts'

suite('DPoP proofs', () => {
  test('have method, URL, time and token hash, and are signed with the key in their header', async () => {
    const key = await createDpopKey()
    const url = 'https://api.example/x/y?secret=1#z'
    const proof = await dpopProof({
      key,
      method: 'POST',
      url,
      nowMs: 1_800_000_000_999,
      jti: 'j',
      nonce: 'n',
      token: 'tok',
    })
    const { payload } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      currentDate: new Date(1_800_000_001_000),
    })
    assert.deepEqual(payload, {
      jti: 'j',
      htm: 'POST',
      htu: 'https://api.example/x/y',
      iat: 1_800_000_000,
      nonce: 'n',
      ath: createHash('sha256').update('tok').digest('base64url'),
    })
    const { jwk } = decodeProtectedHeader(proof)
    assert.deepEqual(Object.keys(jwk ?? {}).sort(), ['crv', 'kty', 'x', 'y'])
  })

  test('each grant has its own key', async () => {
    assert.notDeepEqual(await createDpopKey(), await createDpopKey())
  })

  test('nonces are cached by origin, a limited number and none that is too long', () => {
    const nonces = createDpopNonces()
    for (let at = 0; at < 1100; at++) nonces.set(`https://${at}.example`, `n${at}`)
    assert.equal(nonces.get('https://0.example'), undefined)
    assert.equal(nonces.get('https://1099.example'), 'n1099')
    nonces.set('https://1099.example', 'x'.repeat(5000))
    assert.equal(nonces.get('https://1099.example'), 'n1099')
  })
})
