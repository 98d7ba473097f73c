import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import {
  decodeNumber,
  encodeBase32,
  encodeNumber,
  newId,
  newShardId,
  randomSecret,
  randomShard,
  SHARDS,
  shardFor,
  shardOf,
} from './ids.ts'

const MAX_MS = 2 ** 48 - 1

suite('ids', () => {
  test('sort as their times do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_MS }), fc.integer({ min: 0, max: MAX_MS }), (a, b) => {
        const order = newId(a).slice(0, 10) < newId(b).slice(0, 10)
        assert.equal(order, a < b)
      }),
    )
  })

  test('numbers come back from their texts and sort as texts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_MS }), fc.integer({ min: 0, max: MAX_MS }), (a, b) => {
        assert.equal(decodeNumber(encodeNumber(a, 10)), a)
        assert.equal(encodeNumber(a, 10) < encodeNumber(b, 10), a < b)
      }),
    )
    for (const text of ['i', 'l', 'o', 'u', 'A', '-', 'é']) assert.equal(decodeNumber(text), undefined)
  })

  test('every shard comes back from its ids', () => {
    for (let shard = 0; shard < SHARDS; shard += 1) assert.equal(shardOf(newShardId(shard, Date.now())), shard)
  })

  test('a text that is not an id with a shard names none', () => {
    const id = newShardId(5, Date.now())
    for (const text of ['', id.slice(1), `${id}0`, id.toUpperCase(), `${id.slice(0, 27)}u`, `${id}\n`, newId(1)])
      assert.equal(shardOf(text), undefined, text)
  })

  test('do not repeat within one millisecond', () => {
    const now = Date.now()
    assert.equal(new Set(Array.from({ length: 100_000 }, () => newId(now))).size, 100_000)
  })

  test('base32 keeps bytes apart and in order', () => {
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const order = Math.sign(Buffer.compare(a, b))
        const [left, right] = [encodeBase32(a), encodeBase32(b)]
        assert.equal(left.length, 16)
        assert.equal(left < right ? -1 : Number(left > right), order)
      }),
    )
  })

  test('a secret has 256 bits and no letter to misread', () => {
    const secrets = Array.from({ length: 1000 }, randomSecret)
    assert.equal(new Set(secrets).size, 1000)
    for (const secret of secrets) assert.match(secret, /^[0-9a-hjkmnp-tv-z]{52}$/)
  })

  test('names spread evenly over the parts, the same for ever', () => {
    const hits = Array.from({ length: SHARDS }, () => 0)
    for (let i = 0; i < 100 * SHARDS; i += 1) hits[shardFor(`app_${i}`)]! += 1
    assert.ok(Math.min(...hits) > 40 && Math.max(...hits) < 180)
    assert.deepEqual([shardFor('app_demo'), shardFor('')], [shardFor('app_demo'), 0xe3b0 % SHARDS])
  })

  test('a random part is a part', () => {
    const parts = Array.from({ length: 20_000 }, randomShard)
    assert.ok(Math.min(...parts) >= 0 && Math.max(...parts) < SHARDS)
    assert.ok(new Set(parts).size > SHARDS * 0.9)
  })
})
