import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauth2 } from './auth.ts'
import { missingScope } from './missing-scope.ts'

const auth = oauth2({
  authorizeUrl: 'https://service.test/authorize',
  tokenUrl: 'https://service.test/token',
  scope: { includes: { read: ['read:photos', 'read:likes'] } },
})

test('a scope may be part of a granted one', () => {
  assert.equal(missingScope(auth, ['read'], ['read:photos', 'read:likes']), undefined)
  assert.equal(missingScope(auth, ['read:photos'], ['read:photos', 'read:likes']), 'read:likes')
  assert.equal(missingScope(auth, ['read'], ['write']), 'write')
  assert.equal(missingScope(auth, [], []), undefined)
  assert.equal(missingScope(auth, [], undefined), undefined)
})
