import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredItem } from '../../data/item-store.ts'
import type { Acquaintance } from '../../data/vocabulary.ts'
import { sdkFields } from '../../testing/sdk-fields.ts'
import { albumNode, photoNode } from './media-nodes.ts'
import type { View } from './node-kit.ts'
import { eventNode, meNode, pageNode } from './other-nodes.ts'
import { postNode } from './post-node.ts'

const view = { url: '', isNamed: () => true } as unknown as View
const item = { id: '1', createdAtMs: 0, updatedAtMs: 0, fields: {} } as unknown as StoredItem
const person: Acquaintance = { id: '1', username: 'ada', name: 'Ada' }

/** Each node of the lab but videos, whose fields the types leave open; the objects of the SDK that describe it, and what only the documentation of the node has. */
const nodes: Record<string, [fields: object, objects: string[], documented?: string[]]> = {
  user: [meNode(view, person as never, () => true, {}).fields, ['user']],
  post: [postNode(view, item).fields, ['post', 'page-post'], ['story', 'likes']],
  photo: [photoNode(view, item).fields, ['photo'], ['tags', 'reactions', 'comments']],
  album: [albumNode(view, person, item).fields, ['album']],
  event: [eventNode(view, item).fields, ['event'], ['rsvp_status']],
  page: [pageNode(item).fields, ['page'], ['created_time']],
}

for (const [name, [fields, objects, documented = []]] of Object.entries(nodes))
  test(`${name}: every field exists in the types of Meta’s SDK`, (t) => {
    const known = sdkFields(...objects)
    if (typeof known === 'string') return t.skip(known)
    const unknown = Object.keys(fields).filter((field) => !known.has(field) && !documented.includes(field))
    assert.deepEqual(unknown, [])
  })
