import assert from 'node:assert/strict'
import test from 'node:test'
import { type Costs, checksPerDay, dailyCpu, profilesPerCore, USABLE_SHARE } from '../bench/capacity-formula.ts'

const costs: Costs = {
  check: { ours: 2, database: 1 },
  page: { ours: 5, database: 3 },
  item: { ours: 0.5, database: 0.25 },
  read: { ours: 1, database: 0.5 },
  row: { ours: 0.1, database: 0.05 },
}
const NOTHING = { check: 0, page: 0, item: 0, read: 0, row: 0 }

test('three endpoints every half hour are 144 checks a day', () => {
  assert.equal(checksPerDay([1_800_000, 1_800_000, 1_800_000]), 144)
  assert.equal(checksPerDay([]), 0)
})

test('each kind of work counts with its own cost', () => {
  assert.deepEqual(dailyCpu(costs, NOTHING), { ours: 0, database: 0 })
  for (const kind of Object.keys(costs) as (keyof Costs)[])
    assert.deepEqual(dailyCpu(costs, { ...NOTHING, [kind]: 10 }), {
      ours: 10 * costs[kind].ours,
      database: 10 * costs[kind].database,
    })
  assert.deepEqual(dailyCpu(costs, { check: 144, page: 2, item: 20, read: 10, row: 20 }), {
    ours: 288 + 10 + 10 + 10 + 2,
    database: 144 + 6 + 5 + 5 + 1,
  })
})

test('a core serves as many profiles as fit into its usable time', () => {
  const work = { ...NOTHING, check: 144 }
  const { ours, database } = profilesPerCore(costs, work)
  assert.equal(ours * 288, USABLE_SHARE * 86_400_000)
  assert.equal(database, 2 * ours)
  const double = profilesPerCore(costs, { ...work, check: 288 })
  assert.equal(double.ours, ours / 2)
})
