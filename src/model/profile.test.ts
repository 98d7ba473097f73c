import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mayBecome, PROFILE_STATES } from './profile.ts'

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
