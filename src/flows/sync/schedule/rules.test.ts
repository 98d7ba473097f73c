import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '#model/errors.ts'
import { parseInterval } from './rules.ts'

const DAY_MS = 86_400_000

suite('an interval that an app wrote', () => {
  test('is a time from 30 seconds to 366 days', () => {
    for (const [text, everyMs] of [
      ['30s', 30_000],
      ['90s', 90_000],
      ['15m', 900_000],
      ['3h', 10_800_000],
      ['366d', 366 * DAY_MS],
    ] as const)
      assert.deepEqual(parseInterval('shop/*', text), { text, everyMs })
  })

  test('or a cron line, with or without a zone', () => {
    assert.deepEqual(parseInterval('shop/*', '0 6 * * *'), { text: '0 6 * * *', cron: '0 6 * * *' })
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires']) {
      const text = `0 6 * * * ${zone}`
      assert.deepEqual(parseInterval('shop/*', text), { text, cron: '0 6 * * *', zone })
    }
  })

  test('is refused by its name when it cannot be used', () => {
    for (const [text, message] of [
      ['29s', /^pace\.shop\/\*: at most every 30s/],
      ['0m', /at most every 30s/],
      ['367d', /at least every 366d/],
      ['9999999999999d', /at least every 366d/],
      ['sometimes', /pace\.shop\/\*: /],
      ['', /pace\.shop\/\*: /],
      ['15', /pace\.shop\/\*: /],
      ['15m ', /pace\.shop\/\*: /],
      ['61 6 * * *', /pace\.shop\/\*: /],
      ['0 6 * * * Mars/Olympus', /pace\.shop\/\*: /],
      ['0 0 30 2 *', /pace\.shop\/\*: /],
      ['* * * * * *', /must have five fields/],
      ['0'.repeat(201), /at most 200 characters/],
    ] as const)
      assert.throws(
        () => parseInterval('shop/*', text),
        (error) => error instanceof ApiError && error.reason === 'bad_body' && message.test(error.message),
        text,
      )
  })
})
