import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkpointFromText, checkpointOf } from './checkpoint.ts'
import { DeliveryError } from './contract.ts'

test('a checkpoint is read as it was written, from numbers, and in databases from text', () => {
  assert.deepEqual(checkpointFromText({ seq: '-1', epoch: '7', updatedAtMs: '1700000000000' }), {
    seq: -1,
    epoch: 7,
    updatedAtMs: 1_700_000_000_000,
  })
  assert.deepEqual(checkpointOf({ seq: 5, epoch: 7, updatedAtMs: 0 }), { seq: 5, epoch: 7, updatedAtMs: 0 })
})

// Our own numbers continue from the checkpoint: one that is too large would stop the profile permanently.
test('a checkpoint that we cannot have written is refused', () => {
  for (const invalid of [
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
    for (const name of ['seq', 'epoch', 'updatedAtMs'])
      assert.throws(
        () => checkpointFromText({ seq: 1, epoch: 1, updatedAtMs: 1, [name]: invalid }),
        DeliveryError,
        `${name} ${JSON.stringify(invalid)}`,
      )
})

test('files and messages hold numbers: a text is refused', () => {
  assert.throws(() => checkpointOf({ seq: '9', epoch: 1, updatedAtMs: 1 }), DeliveryError)
})
