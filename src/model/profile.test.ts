import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { mayBecome, PROFILE_STATES, parseProfileName, profileName } from './profile.ts'

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

  test('what is gone stays gone, and everything can go', () => {
    for (const state of PROFILE_STATES) {
      assert.equal(mayBecome('disconnected', state), state === 'disconnected')
      assert.ok(mayBecome(state, 'disconnected'))
    }
  })

  test('a refused token ends in needs_auth from every living state, and a new sign-in leads out of it', () => {
    for (const state of ['connecting', 'active', 'limited', 'paused'] as const)
      assert.ok(mayBecome(state, 'needs_auth'))
    assert.ok(mayBecome('needs_auth', 'active'))
    assert.ok(mayBecome('needs_auth', 'connecting'))
    assert.ok(!mayBecome('needs_auth', 'limited'), 'who has no token is not rate limited')
  })

  test('nothing begins anew by itself', () => {
    for (const state of ['active', 'limited', 'paused'] as const) assert.ok(!mayBecome(state, 'connecting'))
  })

  test('a limit ends, a pause ends', () => {
    assert.ok(mayBecome('limited', 'active') && mayBecome('paused', 'active') && mayBecome('connecting', 'active'))
    assert.ok(!mayBecome('paused', 'limited'), 'what does not run meets no limit')
  })
})
