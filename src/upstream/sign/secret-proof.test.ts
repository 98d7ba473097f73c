import assert from 'node:assert/strict'
import { test } from 'node:test'
import { secretProof } from './secret-proof.ts'

test('the proof of a token is its HMAC-SHA256 with the secret, in hex', () => {
  // A published example.
  const proof = secretProof('The quick brown fox jumps over the lazy dog', 'key')
  assert.equal(proof, 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8')
})
