import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantedScopes } from './accounts/profile.ts'

test('what a service says about granted scopes, also that there are none', () => {
  assert.equal(grantedScopes({}), undefined)
  assert.deepEqual(grantedScopes({ scope: 'read write,admin' }), ['read', 'write', 'admin'])
  assert.deepEqual(grantedScopes({ scope: '' }), [], 'user tokens of GitHub Apps')
})
