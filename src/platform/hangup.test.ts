import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hangup } from './hangup.ts'

test('the newest listener hears of it, and so does a signal that was asked for', () => {
  const hangup = new Hangup()
  const heard: string[] = []
  hangup.listen(() => heard.push('first'))
  hangup.listen(() => heard.push('second'))
  const { signal } = hangup
  assert.deepEqual([hangup.happened, signal.aborted], [false, false])
  hangup.happen()
  assert.deepEqual([hangup.happened, signal.aborted, heard], [true, true, ['second']])
  assert.equal(hangup.signal, signal)
})

test('whoever comes late hears of it at once', () => {
  const hangup = new Hangup()
  hangup.happen()
  let heard = 0
  hangup.listen(() => (heard += 1))
  assert.deepEqual([heard, hangup.signal.aborted], [1, true])
})
