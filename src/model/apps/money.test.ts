import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { formatMoney, MAX_MICROS, monthOf, nextMonthAt, parseMoney } from './money.ts'

suite('money', () => {
  test('is read exactly', () => {
    for (const [text, micros] of [
      ['0', 0],
      ['25', 25_000_000],
      ['0.005', 5000],
      ['0.000001', 1],
      ['12.50', 12_500_000],
      ['1000000000', MAX_MICROS],
    ] as const)
      assert.equal(parseMoney(text), micros, text)
    for (const text of ['', '-1', '1,5', '1.', '.5', '1e3', '0.0000001', '1000000000.01', ' 1', '1 USD', '0x1'])
      assert.equal(parseMoney(text), undefined, text)
  })

  test('is written so that it reads back', () => {
    assert.equal(formatMoney(5000), '0.005')
    assert.equal(formatMoney(25_000_000), '25.00')
    assert.equal(formatMoney(-10_000), '-0.01')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_MICROS }), (micros) => parseMoney(formatMoney(micros)) === micros),
    )
  })

  test('months are those of UTC', () => {
    for (const [now, month, next] of [
      ['2026-11-30T23:59:59.999Z', '2026-11', '2026-12-01T00:00:00.000Z'],
      ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
      ['2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01T00:00:00.000Z'],
    ] as const) {
      assert.equal(monthOf(Date.parse(now)), month)
      assert.equal(new Date(nextMonthAt(Date.parse(now))).toISOString(), next)
    }
  })
})
