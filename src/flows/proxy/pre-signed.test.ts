import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPreSigned } from './pre-signed.ts'

test('an address that is signed itself is known by its parameters', () => {
  for (const query of [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=ab',
    'x-amz-signature=ab',
    'AWSAccessKeyId=A&Signature=b&Expires=1',
    'Expires=1&Signature=a&Key-Pair-Id=K',
    'a=1&X-Goog-Signature=ab',
    'GoogleAccessId=a@b&Expires=1&Signature=x',
    'Expires=1&OSSAccessKeyId=a&Signature=b',
    'sv=2024-11-04&se=2026-11-19T00%3A00Z&sr=b&sp=r&sig=ab%3D',
  ])
    assert.equal(isPreSigned(`https://store.test/x?${query}`), true, query)
  for (const rest of [
    '',
    '?',
    '?sig=1',
    '?signature=1&expires=2',
    '?q=x-amz-signature=1',
    '/x-amz-signature=1',
    '?oauth_signature=a',
  ])
    assert.equal(isPreSigned(`https://store.test/x${rest}`), false, rest)
})
