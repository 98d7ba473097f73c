import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inHours, sentenceOf, titleOf, weekly } from './measures.ts'

const WEEK = 7 * 86_400_000
const END = 100 * WEEK

suite('kilometres of each week', () => {
  const run = (at: number, meters: number) => ({ at, map: { id: 'run', name: null, at, meters } })

  test('a week without an activity is 0, and what is older than a year is left out', () => {
    const weeks = weekly([run(END - 1, 1000), run(END - WEEK + 1, 500), run(END - WEEK - 1, 200), run(0, 9)], END)
    assert.equal(weeks.length, 52)
    assert.deepEqual(
      weeks.slice(-3).map(({ value }) => value),
      [0, 0.2, 1.5],
    )
    assert.equal(
      weeks.reduce((sum, { value }) => sum + value, 0),
      1.7,
    )
  })

  test('what is ahead of the end does not count, nor what has no distance', () => {
    assert.equal(Math.max(...weekly([run(END + 1, 1000), { at: END - 1 }], END).map(({ value }) => value)), 0)
  })
})

suite('a chart in words', () => {
  test('sleep is in hours, and counts have no unit', () => {
    assert.equal(titleOf('sleep', 's'), 'Sleep, hours')
    assert.equal(titleOf('steps', 'count'), 'Steps')
    assert.equal(titleOf('weight', 'kg'), 'Weight, kg')
    assert.deepEqual(inHours({ at: 1, value: 5400 }), { at: 1, value: 1.5 })
  })

  test('says the range and the latest value', () => {
    const points = [3, 1, 2].map((value, at) => ({ at, value }))
    assert.equal(sentenceOf('Weight', points), 'Weight: 3 values from 1.0 to 3.0, the latest 2.0')
  })
})
