import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoint } from '../endpoints/endpoint.ts'
import { kind } from '../read/kind.ts'
import { OWN_SERVICE, ownEndpoint } from './own-items.ts'
import { itemReader } from './read-item.ts'

interface Post {
  id: string
  at: number | null
}
const posts = endpoint<Post[], Post>({
  path: '/posts',
  items: (body) => body,
  kind: kind<Post>({ name: 'post', id: ({ id }) => id, at: ({ at }) => at, map: {} }),
  types: ['statuses'],
  every: '1d',
  class: 'personal',
})
const read = itemReader({ service: 'some', title: 'Some' }, 'posts', posts, '7')
const atOf = (at: number | null) => {
  const draft = read({ id: '1', at })
  return draft.faults.length === 0 ? draft.at : 'fault'
}

test('a time that only a mistake can give is a fault, and the record stays', () => {
  const seconds = Date.UTC(2026, 0, 1) / 1000
  for (const at of [0, seconds, Date.UTC(2099, 0, 1) / 1000, seconds * 1e6, Number.NaN, Number.POSITIVE_INFINITY, 1e16])
    assert.equal(atOf(at), 'fault', String(at))
  assert.equal(atOf(Date.UTC(9999, 11, 31)), 'fault')
})

test('times of old photos and of plans are times', () => {
  for (const at of [
    Date.UTC(1890, 5, 1),
    Date.UTC(1969, 11, 31),
    Date.UTC(1970, 2, 1),
    Date.UTC(1985, 0, 1),
    Date.UTC(2099, 11, 31),
  ])
    assert.equal(atOf(at), at)
  assert.equal(atOf(Date.UTC(2020, 0, 1) + 0.4), Date.UTC(2020, 0, 1))
  assert.equal(atOf(null), undefined)
})

test('an app may give its own items any time', () => {
  const own = itemReader(OWN_SERVICE, 'notes', ownEndpoint, 'account')
  for (const at of [0, 1, 1_700_000_000, Date.UTC(9999, 0, 1), -8.64e15]) {
    const draft = own({ id: 'n', at })
    assert.deepEqual([draft.at, draft.faults], [at, []])
  }
})
