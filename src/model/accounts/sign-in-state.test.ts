import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStates, type SignInState } from './sign-in-state.ts'

/** The states that can be reached, and those that lead nowhere. */
function walkFrom(start: SignInState, isAllowed: (state: SignInState) => boolean = () => true) {
  const reached = new Set<SignInState>([start])
  for (const state of reached) for (const next of nextStates(state)) if (isAllowed(next)) reached.add(next)
  return reached
}

const END: SignInState[] = ['exchanged', 'reconnected', 'declined', 'failed', 'expired']
const AFTER_IDENTITY: SignInState[] = ['confirming', 'coded', 'issued', 'exchanged', 'reconnected']

test('every state is reached, and every one that is not an end leads to one', () => {
  const reached = walkFrom('started')
  assert.equal(reached.size, 15)
  for (const state of reached) {
    assert.equal(nextStates(state).length === 0, END.includes(state), state)
    assert.ok(
      [...walkFrom(state)].some((each) => END.includes(each)),
      state,
    )
  }
})

test('a sign-in that is over has no next state, and none begins again', () => {
  for (const state of walkFrom('started')) assert.ok(!nextStates(state).includes('started'), state)
})

test('nobody gets a code, a token or a profile before the service said who the person is', () => {
  const without = walkFrom('started', (state) => !AFTER_IDENTITY.includes(state))
  for (const state of without)
    for (const next of nextStates(state).filter((each) => AFTER_IDENTITY.includes(each)))
      assert.ok(['typing', 'forwarded', 'sent', 'posted', 'choosing'].includes(state), `${state} leads to ${next}`)
  for (const state of ['started', 'asked'] as const)
    assert.deepEqual(
      nextStates(state).filter((each) => AFTER_IDENTITY.includes(each)),
      [],
    )
})

test('an access token in the fragment is issued only to a person who confirmed', () => {
  const before = [...walkFrom('started')].filter((state) => nextStates(state).includes('issued'))
  assert.deepEqual(before, ['confirming'])
})
