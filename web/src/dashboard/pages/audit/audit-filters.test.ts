import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { filtersOf } from './audit-filters.ts'

suite('filters of the audit log', () => {
  test('days are those of the browser, and the last one is included whole', () => {
    assert.deepEqual(filtersOf({ of: 'app-1', from: '2026-03-01', to: '2026-03-01' }), {
      app: 'app-1',
      since: new Date(2026, 2, 1).getTime(),
      until: new Date(2026, 2, 2).getTime(),
    })
  })

  test('the last day of a month ends with the month', () => {
    assert.equal(filtersOf({ to: '2026-12-31' }).until, new Date(2027, 0, 1).getTime())
  })

  test('what is missing, or is not a day, does not filter', () => {
    assert.deepEqual(filtersOf({ from: 'yesterday' }), {})
  })
})
