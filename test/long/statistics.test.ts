import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { lowest, slope, welch } from './statistics.ts'

const assertNear = (value: number, expected: number) =>
  assert.ok(Math.abs(value - expected) < 0.001, `${value} is not ${expected}`)

suite('statistics of the long tests', () => {
  test('Welch’s t of means 2.5 and 5, variances 5/3 and 20/3', () => {
    assertNear(welch([1, 2, 3, 4], [2, 4, 6, 8]), -Math.sqrt(3))
    assertNear(welch([1, 2, 3, 4], [1, 2, 3, 4]), 0)
  })

  test('the slope of a line, and the lower share of a sample', () => {
    assertNear(slope([0, 1, 2, 3].map((x) => [x, 5 + 2 * x] as const)), 2)
    assert.deepEqual(lowest([4, 1, 3, 2], 0.5), [1, 2])
  })
})
