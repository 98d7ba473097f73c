import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchOf } from './search-of.ts'

test('a word may be unfinished; what ends with anything else is searched for as it is', () => {
  assert.equal(searchOf('caf'), 'caf*')
  assert.equal(searchOf('naïve é'), 'naïve é*')
  assert.equal(searchOf('"two words"'), '"two words"')
  assert.equal(searchOf('done '), 'done ')
  assert.equal(searchOf(undefined), undefined)
})
