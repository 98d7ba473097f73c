import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { toBytes, toText } from './base64url.ts'

suite('bytes of passkeys', () => {
  test('are written as URLs allow it, without padding, and read again', () => {
    const bytes = Uint8Array.from([0xfb, 0xef, 0xff, 0x00])
    assert.equal(toText(bytes.buffer), '--__AA')
    assert.deepEqual(toBytes('--__AA'), bytes)
    for (let length = 0; length < 8; length += 1) {
      const each = Uint8Array.from({ length }, (_, index) => 251 + index)
      assert.deepEqual(toBytes(toText(each.buffer)), each)
    }
  })
})
