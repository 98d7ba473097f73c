import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mayBecome, PROFILE_STATES, statesBefore } from './profile.ts'

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
