import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeliveryError } from './contract.ts'
import { checkpointOf } from './rows.ts'

test('a checkpoint is taken as it was written', () => {
  assert.deepEqual(checkpointOf({ seq: '-1', epoch: '7', at: '1700000000000' }), {
    seq: -1,
    epoch: 7,
    updatedAtMs: 1_700_000_000_000,
  })
  assert.deepEqual(checkpointOf({ seq: 5, epoch: 7, at: 0 }), { seq: 5, epoch: 7, updatedAtMs: 0 })
})

// Our own numbers go on from what a destination says: a number without end would stop the profile for ever.
test('a checkpoint that nobody can have written is refused', () => {
  for (const odd of [
    '',
    'x',
    '1e300',
    '9223372036854775807',
    '1.5',
    '-2',
    2 ** 49,
    Number.NaN,
    null,
    undefined,
    [],
    {},
  ])
    for (const name of ['seq', 'epoch', 'at'])
      assert.throws(
        () => checkpointOf({ seq: 1, epoch: 1, at: 1, [name]: odd }),
        DeliveryError,
        `${name} ${JSON.stringify(odd)}`,
      )
})
