import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seriesOf } from './history-series.ts'
import { lagText } from './lag-text.ts'

suite('the history of a destination', () => {
  test('has a point for each period until now: zero rows and an unknown lag where nothing was delivered', () => {
    const periods = [{ at: 120, rows: 7, failed: 1, batches: 2, lag_ms: 2500 }]
    const { times, lag, rows } = seriesOf(periods, { since: 60, step: 60, now: 200 })
    assert.deepEqual(times, [60, 120, 180])
    assert.deepEqual(lag[0]?.values, [null, 2.5, null])
    assert.deepEqual(
      rows.map(({ values }) => values),
      [
        [0, 7, 0],
        [0, 1, 0],
      ],
    )
  })

  test('a lag in words; changes of the last second count as none', () => {
    assert.equal(lagText(999), 'none')
    assert.equal(lagText(1000), '1 s')
    assert.equal(lagText(120_000), '2 min')
    assert.equal(lagText(5_400_000), '1.5 h')
  })
})
