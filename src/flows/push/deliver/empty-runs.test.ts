import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmptyRuns } from './empty-runs.ts'

test('after each run without work a destination waits twice as long, at most a second, and not at all after one with work', () => {
  let nowMs = 0
  const runs = createEmptyRuns({ now: () => nowMs })
  const waits = Array.from({ length: 7 }, () => {
    runs.ended('a', true)
    const from = nowMs
    while (runs.isWaiting('a')) nowMs += 1
    return nowMs - from
  })
  assert.deepEqual(waits, [50, 100, 200, 400, 800, 1000, 1000])
  runs.ended('a', true)
  assert.deepEqual([runs.isWaiting('a'), runs.isWaiting('b')], [true, false])
  runs.ended('a', false)
  assert.equal(runs.isWaiting('a'), false)
})
