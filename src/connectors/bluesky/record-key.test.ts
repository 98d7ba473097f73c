import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addedAt } from './record-key.ts'

const keyed = (key: string) => ({ uri: `at://did:plc:ada/app.bsky.feed.post/${key}` })

test('a record key says when the record was added, in the order of the listing', () => {
  // The example of the specification of record keys.
  assert.equal(new Date(addedAt(keyed('3jzfcijpj2z2a'))).getUTCFullYear(), 2023)
  assert.ok(addedAt(keyed('3jzfcijpj2z2a')) < addedAt(keyed('3lp2222222222')))
})

test('other keys have no time', () => {
  for (const key of ['self', '', '3jzfcijpj2z2A', 'zzzzzzzzzzzzz', '3jzfcijpj2z2aa'])
    assert.equal(addedAt(keyed(key)), 0)
})
