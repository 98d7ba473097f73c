import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abortableSleep } from './abortable-sleep.ts'

test('resolves after the time, and at once when the signal aborts', async (context) => {
  const never = new AbortController()
  await abortableSleep(1, never.signal)
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const stopping = new AbortController()
  const long = abortableSleep(3_600_000, stopping.signal)
  stopping.abort()
  assert.equal(await long, undefined)
  assert.equal(await abortableSleep(3_600_000, stopping.signal), undefined)
})
