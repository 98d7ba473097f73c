import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatBytes, formatCount, formatDuration, formatShare, formatShort } from './amounts.ts'
import { linesOf } from './lines.ts'
import { timeWords } from './time-words.ts'

suite('amounts in words', () => {
  test('counts are grouped, and short where a tile has no room', () => {
    assert.equal(formatCount(1_234_567), '1,234,567')
    assert.equal(formatShort(9999), '9,999')
    assert.equal(formatShort(12_345), '12.3K')
    assert.equal(formatShare(0.456), '46%')
  })

  test('a duration is in its largest unit', () => {
    assert.equal(formatDuration(0), '0 s')
    assert.equal(formatDuration(400), '0 s')
    assert.equal(formatDuration(1500), '2 s')
    assert.equal(formatDuration(59_400), '59 s')
    assert.equal(formatDuration(59_999), '1 min')
    assert.equal(formatDuration(60_000), '1 min')
    assert.equal(formatDuration(3_599_000), '1 h')
    assert.equal(formatDuration(3_600_000), '1 h')
    assert.equal(formatDuration(3 * 86_400_000), '3 d')
  })

  test('bytes are in decimal units, and never beyond the largest', () => {
    assert.equal(formatBytes(0), '0 B')
    assert.equal(formatBytes(999), '999 B')
    assert.equal(formatBytes(1000), '1.0 KB')
    assert.equal(formatBytes(999_949), '999.9 KB')
    assert.equal(formatBytes(999_950), '1.0 MB')
    assert.equal(formatBytes(1_234_567), '1.2 MB')
    assert.equal(formatBytes(5e15), '5000.0 TB')
  })
})

suite('times in words', () => {
  const now = Date.UTC(2026, 0, 10)

  test('the past and the future, in the largest unit', () => {
    assert.equal(timeWords(now, now), 'now')
    assert.equal(timeWords(now - 400, now), 'now')
    assert.equal(timeWords(now - 90_000, now), '1 minute ago')
    assert.equal(timeWords(now + 5 * 3_600_000, now), 'in 5 hours')
    assert.equal(timeWords(now - 86_400_000, now), 'yesterday')
    assert.equal(timeWords(now - 40 * 86_400_000, now), '40 days ago')
  })
})

suite('lines of a text field', () => {
  test('blank lines and blanks around a line do not count', () => {
    assert.deepEqual(linesOf(' a \n\n\tb c\r\n  \n'), ['a', 'b c'])
    assert.deepEqual(linesOf('  '), [])
  })
})
