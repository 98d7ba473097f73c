import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePercent } from './decode-percent.ts'

test('percent-encoded text is decoded; what is none gives undefined', () => {
  assert.equal(decodePercent('a%20b%C3%A9+'), 'a bé+')
  for (const text of ['%', '%zz', '%C3', '%ff']) assert.equal(decodePercent(text), undefined)
})
