import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Change } from '@tributary-hub/client/generated/api.ts'
import { summaries } from './summaries.ts'

const stored = (id: string, service: string) =>
  ({
    change: 'upsert',
    item: { id, idr: `post:${id}@${service}/posts`, oembed: { type: 'text', title: `title ${id}` } },
  }) as unknown as Change
const deleted = (service: string) => ({ change: 'delete', idr: `post:9@${service}/posts` }) as unknown as Change
const removed = (service: string) => ({ change: 'profile_removed', profile: `1@${service}` }) as unknown as Change

suite('what changed, in sentences', () => {
  test('one for each service, in the order in which they appear', () => {
    const found = summaries([stored('1', 'demo-social'), deleted('demo-micro'), stored('2', 'demo-social')])
    assert.deepEqual(
      found.map(({ sentence }) => sentence),
      ['demo-social: 2 new or changed', 'demo-micro: 1 deleted'],
    )
    assert.deepEqual(found[0]?.items, [
      { id: '1', title: 'title 1' },
      { id: '2', title: 'title 2' },
    ])
  })

  test('names a few items only, and says that a profile went', () => {
    const many = Array.from({ length: 9 }, (_, index) => stored(String(index), 'demo-social'))
    const [only] = summaries([...many, removed('demo-social')])
    assert.equal(only?.sentence, 'demo-social: 9 new or changed, disconnected')
    assert.equal(only.items.length, 5)
  })
})
