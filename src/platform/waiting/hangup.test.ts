import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hangup } from './hangup.ts'

test('calls the newest listener and aborts the signal', () => {
  const hangup = new Hangup()
  const calls: string[] = []
  hangup.listen(() => calls.push('first'))
  hangup.listen(() => calls.push('second'))
  const { signal } = hangup
  assert.deepEqual([hangup.happened, signal.aborted], [false, false])
  hangup.happen()
  assert.deepEqual([hangup.happened, signal.aborted, calls], [true, true, ['second']])
  assert.equal(hangup.signal, signal)
})

test('calls a listener that is added afterwards at once', () => {
  const hangup = new Hangup()
  hangup.happen()
  let calls = 0
  hangup.listen(() => (calls += 1))
  assert.deepEqual([calls, hangup.signal.aborted], [1, true])
})
