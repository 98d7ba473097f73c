import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { replayedUpTo } from './replica-position.ts'

const primary = { system: 's', database: 1, timeline: 1, lsn: 10, isSharded: false }
const replica = { system: 's', database: 1, timeline: 1, lsn: 9, isInRecovery: true }

suite('the position of a replica', () => {
  test('is what it has replayed', () => assert.equal(replayedUpTo(primary, replica), 9))

  for (const [what, source, state, reason] of [
    ['a sharded server', { ...primary, isSharded: true }, replica, /is a sharded server/],
    ['another cluster', primary, { ...replica, system: 'x' }, /another cluster/],
    ['another database', primary, { ...replica, database: 2 }, /another database/],
    ['a promoted server', primary, { ...replica, isInRecovery: false }, /not a replica/],
    ['another timeline', primary, { ...replica, timeline: 2 }, /another timeline/],
    ['a server that does not say', primary, { ...replica, lsn: null }, /does not say/],
  ] as const)
    test(`is refused for ${what}`, () => assert.throws(() => replayedUpTo(source, state), { message: reason }))
})
