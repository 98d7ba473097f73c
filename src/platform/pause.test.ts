import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pause } from './pause.ts'

test('a pause ends by itself, and at once when its signal aborts', async (context) => {
  const never = new AbortController()
  await pause(1, never.signal)
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const stopping = new AbortController()
  const long = pause(3_600_000, stopping.signal)
  stopping.abort()
  assert.equal(await long, undefined)
  assert.equal(await pause(3_600_000, stopping.signal), undefined)
})
