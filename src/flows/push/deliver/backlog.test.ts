import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Destination } from '#model/apps/destination.ts'
import { createBacklogWatch } from './backlog.ts'

const due = (id: string, state: Destination['state'] = 'active') => ({
  destination: { id, state } as Destination,
  due: 1,
})

test('a destination has a backlog when it was due at every planning for a second, once in that time', () => {
  let now = 0
  const find = createBacklogWatch({ now: () => now })
  const at = (ms: number, ...ids: string[]) => {
    now = ms
    return find(ids.map((id) => due(id))).map(({ destination }) => destination.id)
  }
  assert.deepEqual(at(0, 'a', 'b'), [])
  assert.deepEqual(at(900, 'a'), [])
  assert.deepEqual(at(1000, 'a', 'b'), ['a'])
  assert.deepEqual(at(1900, 'a', 'b'), [])
  assert.deepEqual(at(2000, 'a', 'b'), ['a', 'b'])
})

test('a failing destination is left to the one run that tries it', () => {
  let now = 0
  const find = createBacklogWatch({ now: () => now })
  find([due('a', 'failing')])
  now = 5000
  assert.deepEqual(find([due('a', 'failing')]), [])
})
