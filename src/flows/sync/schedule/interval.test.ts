import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { endpoint } from '#kit/endpoints/endpoint.ts'
import { kind } from '#kit/read/kind.ts'
import type { IntervalRule, SyncRules } from '#model/sync/sync-rules.ts'
import { isEnabled, nextInterval, retryAt } from './interval.ts'

const NOW = Date.parse('2027-01-10T12:00:00Z')
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** In the middle: no jitter. */
const even = () => 0.5
const note = kind<{ id: string }>({ name: 'note', id: ({ id }) => id, map: {} })

function every(text: string, of: 'core' | 'personal' | 'social' = 'core') {
  return endpoint<unknown, { id: string }>({
    path: '/',
    items: () => [],
    kind: note,
    types: [],
    every: text,
    class: of,
  })
}

function intervalAfter(
  everyText: string,
  run: { intervalMs: number; changes: number },
  rules: Record<string, IntervalRule> = {},
) {
  return nextInterval(
    'shop',
    'orders',
    every(everyText),
    { off: [], pace: rules, on: [], spending: {} },
    { ...run, nowMs: NOW },
    even,
  )
}

suite('the time of the next run', () => {
  test('half after changes, half as much again without, within a quarter and sixteen times the own interval', () => {
    for (const [everyText, before, changes, expected] of [
      ['40m', 40 * MINUTE, 1, 20 * MINUTE],
      ['40m', 40 * MINUTE, 0, 60 * MINUTE],
      // The minimum is a quarter of its own interval.
      ['40m', 20 * MINUTE, 1, 10 * MINUTE],
      ['40m', 10 * MINUTE, 1, 10 * MINUTE],
      // No endpoint is read more often than every minute.
      ['2m', 60 * SECOND, 1, MINUTE],
      ['2m', 2 * MINUTE, 5, MINUTE],
      // The maximum is sixteen times its own interval ...
      ['40m', 40 * 16 * MINUTE, 0, 40 * 16 * MINUTE],
      ['40m', 40 * 15 * MINUTE, 0, 40 * 16 * MINUTE],
      // ... but a day at most, unless its own interval is longer.
      ['6h', 20 * HOUR, 0, DAY],
      ['2d', 2 * DAY, 0, 2 * DAY],
      ['2d', 2 * DAY, 1, DAY],
      // An interval shortened by a former rule returns into these bounds.
      ['40m', 30 * SECOND, 0, 10 * MINUTE],
    ] as const) {
      const next = intervalAfter(everyText, { intervalMs: before, changes })
      assert.deepEqual(next, { intervalMs: expected, nextRunAt: NOW + expected }, `${everyText} ${before} ${changes}`)
    }
  })

  test('a rule of the app is used as it is; that of the endpoint precedes that of the service', () => {
    const one = { 'shop/orders': { text: '5m', everyMs: 5 * MINUTE } }
    const all = { 'shop/*': { text: '3h', everyMs: 3 * HOUR } }
    const run = { intervalMs: 40 * MINUTE, changes: 0 }
    assert.deepEqual(intervalAfter('40m', run, one), { intervalMs: 5 * MINUTE, nextRunAt: NOW + 5 * MINUTE })
    assert.deepEqual(intervalAfter('40m', run, all), { intervalMs: 3 * HOUR, nextRunAt: NOW + 3 * HOUR })
    assert.deepEqual(intervalAfter('40m', run, { ...all, ...one }), {
      intervalMs: 5 * MINUTE,
      nextRunAt: NOW + 5 * MINUTE,
    })
    const other = { 'shop/returns': { text: '5m', everyMs: 5 * MINUTE } }
    assert.deepEqual(intervalAfter('40m', run, other), { intervalMs: HOUR, nextRunAt: NOW + HOUR })
  })

  test('a cron line names the time: no jitter, and the interval stays', () => {
    const run = { intervalMs: 40 * MINUTE, changes: 3 }
    const cron = (line: string, zone?: string) => ({
      'shop/*': { text: line, cron: line, ...(zone === undefined ? {} : { zone }) },
    })
    const at = (text: string) => ({ intervalMs: 40 * MINUTE, nextRunAt: Date.parse(text) })
    assert.deepEqual(intervalAfter('40m', run, cron('30 6 * * *')), at('2027-01-11T06:30:00Z'))
    assert.deepEqual(intervalAfter('40m', run, cron('30 6 * * *', 'Europe/Berlin')), at('2027-01-11T05:30:00Z'))
    // A time that never comes is checked again in a day.
    assert.deepEqual(intervalAfter('40m', run, cron('0 0 30 2 *')), { intervalMs: 40 * MINUTE, nextRunAt: NOW + DAY })
  })

  test('jitter is a tenth in either direction', () => {
    const rules: SyncRules = { off: [], pace: {}, on: [], spending: {} }
    const run = { intervalMs: 40 * MINUTE, changes: 0, nowMs: NOW }
    for (const [chance, expected] of [
      [0, 54 * MINUTE],
      [0.5, 60 * MINUTE],
      [1, 66 * MINUTE],
    ] as const) {
      const next = nextInterval('shop', 'orders', every('40m'), rules, run, () => chance)
      assert.deepEqual(next, { intervalMs: HOUR, nextRunAt: NOW + expected })
    }
  })
})

suite('the time of the next try after a failure', () => {
  test('half a minute, twice as long each time, up to six hours', () => {
    for (const [fails, expected] of [
      [0, 30 * SECOND],
      [1, MINUTE],
      [2, 2 * MINUTE],
      [5, 16 * MINUTE],
      [9, 256 * MINUTE],
      [10, 6 * HOUR],
      [12, 6 * HOUR],
      [1000, 6 * HOUR],
    ] as const)
      assert.equal(retryAt(fails, undefined, NOW, even), NOW + expected, String(fails))
  })

  test('as long as the service says, at least a second, and never sooner than it says', () => {
    for (const [retryAfterMs, chance, expected] of [
      [0, 0, SECOND],
      [0, 1, 2 * SECOND],
      [5000, 0, 5000],
      [5000, 1, 6000],
      [DAY, 0, DAY],
    ] as const)
      assert.equal(
        retryAt(0, retryAfterMs, NOW, () => chance),
        NOW + expected,
        `${retryAfterMs} ${chance}`,
      )
  })

  test('after more than five failures a short wait is ignored, a long one is not', () => {
    assert.equal(
      retryAt(5, 1000, NOW, () => 0),
      NOW + 1000,
    )
    assert.equal(retryAt(6, 1000, NOW, even), NOW + 32 * MINUTE)
    assert.equal(retryAt(6, 32 * MINUTE - 1, NOW, even), NOW + 32 * MINUTE)
    assert.equal(
      retryAt(6, 32 * MINUTE, NOW, () => 0),
      NOW + 32 * MINUTE,
    )
    assert.equal(
      retryAt(6, DAY, NOW, () => 0),
      NOW + DAY,
    )
  })

  test('jitter is a tenth in either direction', () => {
    assert.equal(
      retryAt(0, undefined, NOW, () => 0),
      NOW + 27 * SECOND,
    )
    assert.equal(
      retryAt(0, undefined, NOW, () => 1),
      NOW + 33 * SECOND,
    )
  })
})

test('classes can be switched off, but never core', () => {
  const all: SyncRules = { off: ['personal', 'social'], pace: {}, on: [], spending: {} }
  assert.equal(isEnabled(every('1h', 'core'), all), true)
  assert.equal(isEnabled(every('1h', 'personal'), all), false)
  assert.equal(isEnabled(every('1h', 'social'), all), false)
  assert.equal(isEnabled(every('1h', 'social'), { off: ['personal'], pace: {}, on: [], spending: {} }), true)
})
