import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  formatIdr,
  formatProfile,
  globalId,
  globalIdsOf,
  type Idr,
  parseGlobalId,
  parseIdr,
  partitionOf,
} from './idr.ts'
import { murmur3Hex } from './murmur3.ts'

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/)
const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const anyIdr: fc.Arbitrary<Idr> = fc
  .record(
    { type: name, service: name, endpoint: part, owner: part, item: part },
    { requiredKeys: ['type', 'service', 'endpoint'] },
  )
  .map((idr) => ({ ...idr }))

test('takes an IDR apart', () => {
  assert.deepEqual(parseIdr('photo:1576860066@facebook/photos#2825109438331'), {
    type: 'photo',
    owner: '1576860066',
    service: 'facebook',
    endpoint: 'photos',
    item: '2825109438331',
  })
  assert.deepEqual(parseIdr('contact:someone%40mail.test@google/contacts#d59'), {
    type: 'contact',
    owner: 'someone@mail.test',
    service: 'google',
    endpoint: 'contacts',
    item: 'd59',
  })
  assert.deepEqual(parseIdr('photo:42@facebook/photos'), {
    type: 'photo',
    owner: '42',
    service: 'facebook',
    endpoint: 'photos',
  })
  assert.deepEqual(parseIdr('oembed:links/oembed#a'), {
    type: 'oembed',
    service: 'links',
    endpoint: 'oembed',
    item: 'a',
  })
})

test('type and service are lower case, ids keep their case', () => {
  assert.equal(formatIdr(parseIdr('Photo:AbC@FaceBook/Photos#XyZ')!), 'photo:AbC@facebook/Photos#XyZ')
})

test('accepts marks inside ids that a careful writer would have encoded', () => {
  assert.equal(
    formatIdr(parseIdr('contact:a@mail.test@google/contacts#x#y/z:1')!),
    'contact:a%40mail.test@google/contacts#x%23y%2Fz%3A1',
  )
})

test('a text that is not an IDR is undefined', () => {
  const wrong = [
    '',
    ':',
    'photo',
    'photo:',
    'photo:1@facebook',
    ':1@facebook/photos',
    'photo:@facebook/photos',
    'photo:1@/photos',
    'photo:1@facebook/',
    'photo:1@facebook/photos#',
    'photo:1@facebook/photos#%zz',
    'photo:%ff@facebook/photos',
    'pho to:1@facebook/photos',
    'photo:1@face%62ook/photos',
    'photo:1@facebook#photos/1',
    '/photo:1@facebook/photos',
    'd55d940d8c774d19e3bb6b972f7a0d95_cf5e3670d',
  ]
  for (const text of wrong) assert.equal(parseIdr(text), undefined, text)
})

test('refuses to write parts that would not read back', () => {
  const good: Idr = { type: 'photo', owner: '1', service: 'facebook', endpoint: 'photos', item: '2' }
  for (const bad of [
    { item: '' },
    { owner: '' },
    { endpoint: '' },
    { type: '' },
    { type: 'Photo' },
    { service: 'a/b' },
  ]) {
    assert.throws(() => formatIdr({ ...good, ...bad }), RangeError, JSON.stringify(bad))
  }
  assert.equal(formatIdr({ ...good, item: 'a\ud800b' }), 'photo:1@facebook/photos#a%EF%BF%BDb')
})

test('writing and reading are inverse for every id', () => {
  fc.assert(
    fc.property(anyIdr, (idr) => {
      const text = formatIdr(idr)
      assert.match(text, /^[\x21-\x7e]+$/)
      assert.deepEqual(parseIdr(text), idr)
    }),
    { numRuns: 500 },
  )
})

test('reading any text never throws and settles after one pass', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-c]{0,2}:?[%a@40]{0,5}[ab]?\/?[a%20#]{0,6}$/)), (text) => {
      const idr = parseIdr(text)
      if (idr) assert.deepEqual(parseIdr(formatIdr(idr)), idr)
    }),
    { numRuns: 2000 },
  )
})

test('the global id is the hash of the IDR and the partition of its owner', () => {
  assert.equal(globalId(parseIdr('test:user@testees/testing#1')!), 'd55d940d8c774d19e3bb6b972f7a0d95_cf5e3670d')
  const encoded: Idr = { type: 'photo', owner: '123@N01', service: 'flickr', endpoint: 'photos', item: '7' }
  assert.equal(formatProfile(encoded), '123%40N01@flickr')
  assert.equal(partitionOf(encoded), murmur3Hex('123%40N01@flickr').slice(0, 9))
  assert.equal(formatProfile({ service: 'links' }), 'links')
})

test('naming a stream of items gives the same ids as naming them one by one', () => {
  fc.assert(
    fc.property(anyIdr, fc.array(part, { maxLength: 5 }), (idr, items) => {
      const stream = { ...idr }
      delete stream.item
      const nameItem = globalIdsOf(stream)
      for (const item of items) {
        assert.deepEqual(nameItem(item), { idr: formatIdr({ ...stream, item }), id: globalId({ ...stream, item }) })
      }
    }),
  )
})

test('a global id reads back, anything else does not', () => {
  assert.deepEqual(parseGlobalId('d55d940d8c774d19e3bb6b972f7a0d95_cf5e3670d'), {
    hash: 'd55d940d8c774d19e3bb6b972f7a0d95',
    partition: 'cf5e3670d',
  })
  for (const text of [
    '',
    'd55d940d8c774d19e3bb6b972f7a0d95',
    'D55D940D8C774D19E3BB6B972F7A0D95_CF5E3670D',
    'd55d940d8c774d19e3bb6b972f7a0d95_cf5e3670d\n',
  ]) {
    assert.equal(parseGlobalId(text), undefined)
  }
})
