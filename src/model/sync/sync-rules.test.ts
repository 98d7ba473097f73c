import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseSyncRules } from './sync-rules.ts'

suite('stored sync rules', () => {
  test('no rules are empty rules', () => {
    assert.deepEqual(parseSyncRules({}), { off: [], pace: {}, on: [], spending: {} })
  })

  test('what was stored is read back as it was', () => {
    const rules = {
      off: ['social' as const],
      pace: {
        'github/*': { text: '15m', everyMs: 900_000 },
        'github/events': { text: '0 6 * * *', cron: '0 6 * * *' },
        'x/posts': { text: '0 6 * * * Europe/Berlin', cron: '0 6 * * *', zone: 'Europe/Berlin' },
      },
      on: ['x/tweets', 'other/*'],
      spending: { x: { text: '25', micros: 25_000_000 } },
    }
    assert.deepEqual(parseSyncRules(JSON.parse(JSON.stringify(rules))), rules)
  })

  test('another shape is never taken for rules', () => {
    for (const stored of [
      null,
      [],
      'off',
      { off: 'social' },
      { off: ['core'] },
      { pace: [] },
      { pace: { a: null } },
      { pace: { a: { everyMs: 5 } } },
      { pace: { a: { text: 'x' } } },
      { pace: { a: { text: 'x', everyMs: '5' } } },
      { on: 'x/*' },
      { on: [5] },
      { spending: { x: { text: '5', micros: '5' } } },
      { spending: { x: { text: '5', micros: 0.5 } } },
    ])
      assert.throws(() => parseSyncRules(stored), /unknown shape/, JSON.stringify(stored))
  })
})
