import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { mayBecome, PROFILE_STATES, parseProfileName, profileName, statesBefore } from './profile.ts'

suite('names of profiles', () => {
  test('are the encoded native id, an at sign, the service', () => {
    assert.equal(profileName({ nativeId: '42', service: 'github' }), '42@github')
    assert.equal(profileName({ nativeId: '123@N01', service: 'flickr' }), '123%40N01@flickr')
    assert.equal(
      profileName({ nativeId: 'did:plc:x/é ü', service: 'bluesky' }),
      'did%3Aplc%3Ax%2F%C3%A9%20%C3%BC@bluesky',
    )
  })

  test('are read back, whatever is in the id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), (nativeId, service) => {
        // Half a character has no encoding.
        fc.pre(nativeId.isWellFormed())
        assert.deepEqual(parseProfileName(profileName({ nativeId, service })), { service, nativeId })
      }),
    )
  })

  test('are split at the last at sign; without one they are a service', () => {
    assert.deepEqual(parseProfileName('github'), { service: 'github', nativeId: undefined })
    assert.deepEqual(parseProfileName('a@b@c'), { service: 'c', nativeId: 'a@b' })
    assert.deepEqual(parseProfileName('@c'), { service: 'c', nativeId: '' })
    assert.deepEqual(parseProfileName('c@'), { service: '', nativeId: 'c' })
    assert.equal(parseProfileName('%zz@c'), undefined)
  })
})

suite('states of a profile', () => {
  test('every state may stay as it is', () => {
    for (const state of PROFILE_STATES) assert.ok(mayBecome(state, state))
  })

  test('a refused token ends in needs_auth from every other state, and a new sign-in leads out of it', () => {
    assert.deepEqual(statesBefore('needs_auth'), ['connecting', 'active', 'limited', 'paused'])
    assert.ok(mayBecome('needs_auth', 'active'))
    assert.ok(mayBecome('needs_auth', 'connecting'))
    assert.ok(!mayBecome('needs_auth', 'limited'), 'who has no token is not rate limited')
  })

  test('every state can be paused; a paused profile meets no limit', () => {
    assert.deepEqual(statesBefore('paused'), ['connecting', 'active', 'needs_auth', 'limited'])
    assert.ok(mayBecome('paused', 'active') && mayBecome('paused', 'connecting'))
    assert.ok(!mayBecome('paused', 'limited'))
  })

  test('an active profile does not begin anew', () => {
    assert.ok(!mayBecome('active', 'connecting'))
    assert.ok(mayBecome('limited', 'connecting'), 'signing in again ends a limit')
  })

  test('a limit ends', () => {
    assert.ok(mayBecome('limited', 'active') && mayBecome('connecting', 'active'))
    assert.deepEqual(statesBefore('limited'), ['connecting', 'active'])
  })
})
