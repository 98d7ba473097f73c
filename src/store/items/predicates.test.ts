import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Values } from './predicates.ts'

test('a statement takes 65,535 values; a request that needs more is refused as such', () => {
  const values = new Values()
  for (let i = 1; i <= 65_535; i += 1) assert.equal(values.add(i), `$${i}`)
  assert.throws(() => values.add(0), { reason: 'bad_parameter' })
})
