import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oauth1, oauth2 } from './auth.ts'
import { decidesByFlag, lacksScope, missingGrant } from './granted.ts'

const auth = oauth2({
  authorizeUrl: 'https://service.test/authorize',
  tokenUrl: 'https://service.test/token',
  scope: { includes: { read: ['read:photos', 'read:likes'] } },
})
const urls = {
  requestTokenUrl: 'https://one.test/r',
  authorizeUrl: 'https://one.test/a',
  accessTokenUrl: 'https://one.test/t',
}

test('a scope may be part of a granted one', () => {
  assert.equal(missingGrant(auth, ['read:photos', 'read:likes'], { scope: 'read' }), undefined)
  assert.equal(missingGrant(auth, ['read:photos', 'read:likes'], { scope: 'read:photos' }), 'read:likes')
  assert.equal(missingGrant(auth, ['write'], { scope: 'read' }), 'write')
  assert.equal(missingGrant(auth, [], { scope: '' }), undefined)
  assert.equal(missingGrant(auth, undefined, { scope: '' }), undefined)
  assert.equal(missingGrant(auth, ['read'], { scope: '' }), 'read', 'the service said that nothing was given')
})

test('nothing is missing as long as the service does not say what was given', () => {
  assert.equal(missingGrant(auth, ['write'], {}), undefined)
  assert.equal(missingGrant(auth, ['write'], undefined), undefined)
})

test('a refusal for lack of a grant: in the words of RFC 6750', () => {
  const answer = (status: number, header?: string) => ({
    status,
    headers: header === undefined ? {} : { 'www-authenticate': header },
  })
  const rfc6750 = 'Bearer realm="api", error="insufficient_scope", scope="photos"'
  assert.equal(lacksScope(answer(403, rfc6750)), true)
  assert.equal(lacksScope(answer(401, 'DPoP error=insufficient_scope')), true)
  assert.equal(lacksScope(answer(401, 'Bearer error="invalid_token"')), false)
  assert.equal(lacksScope(answer(500, rfc6750)), false)
  assert.equal(lacksScope(answer(403)), false)
})

test('flags of OAuth 1 decide what is given where one of them gives something', () => {
  assert.equal(decidesByFlag(oauth1({ ...urls, flags: { dm: { scope: ['messages'] } } })), true)
  assert.equal(decidesByFlag(oauth1({ ...urls, flags: { dm: { parameters: { perms: 'write' } } } })), false)
  assert.equal(decidesByFlag(auth), false)
})
