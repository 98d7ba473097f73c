import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePercent } from './decode-percent.ts'

test('decodes percent-encoded text; malformed text gives undefined', () => {
  assert.equal(decodePercent('a%20b%C3%A9+'), 'a bé+')
  for (const text of ['%', '%zz', '%C3', '%ff']) assert.equal(decodePercent(text), undefined)
})
