import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Person } from '../../base/people.ts'
import type { StoredItem } from '../../data/item-store.ts'
import { sdkFields } from '../../testing/sdk-fields.ts'
import type { CommentFields } from './generate.ts'
import { commentNode, mediaNode, meNode, type View } from './nodes.ts'

const view: View = { url: '', mayReadComments: true, viewerId: '1' }
const item = { id: '1', createdAtMs: 0, updatedAtMs: 0, fields: { owner: { id: '1' } } } as unknown as StoredItem
const person = { id: '1', username: 'ada', name: 'Ada' } as Person
const comment = { id: '2', replies: [] } as unknown as CommentFields

/** As for Facebook: the nodes, the objects of the SDK, and what only the documentation of Instagram Login has. */
const nodes: Record<string, [fields: object, objects: string[], documented?: string[]]> = {
  account: [meNode(view, person, {}, 0).fields, ['ig-user'], ['user_id', 'account_type']],
  media: [mediaNode(view, item).fields, ['ig-media'], []],
  comment: [commentNode(view, item, comment).fields, ['ig-comment'], []],
}

for (const [name, [fields, objects, documented = []]] of Object.entries(nodes))
  test(`${name}: every field exists in the types of Meta’s SDK`, (t) => {
    const known = sdkFields(...objects)
    if (typeof known === 'string') return t.skip(known)
    const unknown = Object.keys(fields).filter((field) => !known.has(field) && !documented.includes(field))
    assert.deepEqual(unknown, [])
  })
