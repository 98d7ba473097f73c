import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RESET_UNITS, rateFrom } from './rate.ts'

test('the end of a window is read in each unit, and what is none is left out', () => {
  const now = Date.UTC(2026, 10, 19)
  const read = (unit: (typeof RESET_UNITS)[number], reset: string) =>
    rateFrom({ remaining: 'left', reset: 'reset', unit })({ reset }, now)?.resetAtMs
  const in30s = now + 30_000
  assert.deepEqual(
    RESET_UNITS.map((unit) =>
      read(
        unit,
        {
          epoch: `${in30s / 1000}`,
          epoch_ms: `${in30s}`,
          in_s: '30',
          in_ms: '30000',
          date: new Date(in30s).toUTCString(),
        }[unit],
      ),
    ),
    RESET_UNITS.map(() => in30s),
  )
  assert.deepEqual(
    RESET_UNITS.map((unit) => read(unit, 'soon')),
    RESET_UNITS.map(() => undefined),
  )
  assert.deepEqual(rateFrom({ remaining: 'left', reset: 'reset' })({ left: '3', reset: '5' }, now), {
    remaining: 3,
    resetAtMs: 5000,
    of: undefined,
  })
})
