import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isIdKey, isTextKey, MAX_DEDUPE_KEYS } from '#model/items/dedupe-keys.ts'
import { allKeys, linkKeys } from './dedupe-keys.ts'

suite('dedupe keys of links', () => {
  const SAME = [
    'https://www.photos.test/p/1/',
    'http://photos.test/p/1#top',
    'https://photos.test/p/1?utm_source=x&fbclid=2',
    'https://user:secret@photos.test:443/p/1',
    'HTTPS://PHOTOS.test/p/1',
  ]
  for (const link of SAME)
    test(`one page: ${link}`, () => assert.deepEqual(linkKeys([], [link]), ['link:photos.test/p/1']))

  test('pages differ by path and query', () => {
    assert.deepEqual(linkKeys([], ['https://a.test/P?v=1', 'https://a.test/p?v=1', 'https://a.test/p?v=2']), [
      'link:a.test/P?v=1',
      'link:a.test/p?v=1',
      'link:a.test/p?v=2',
    ])
  })

  test('whole sites, other schemes and what is not an address have none', () => {
    const none = [
      'https://a.test',
      'https://a.test/',
      'https://a.test/?utm_source=x',
      'mailto:a@b.test',
      'a.test/p',
      '',
      undefined,
    ]
    assert.deepEqual(linkKeys(none, none), [])
  })

  test('links within the service of the record are left out, its own pages are not', () => {
    assert.deepEqual(linkKeys(['https://a.test/1'], ['https://a.test/2', 'https://www.a.test/3', 'https://b.test/1']), [
      'page:a.test/1',
      'link:b.test/1',
    ])
  })

  test('a long link is hashed, a huge one is left out', () => {
    const long = `https://a.test/${'x'.repeat(300)}`
    assert.match(linkKeys([], [long]).join(' '), /^link:#[0-9a-f]{32}$/)
    assert.deepEqual(linkKeys([], [`${long}${'x'.repeat(2000)}`]), [])
  })
})

suite('all dedupe keys', () => {
  test('the text comes first; white space and the form of accents do not count', () => {
    const [ofText, ...rest] = allKeys(' Caf\u00e9  open\n', ['g2 g1', undefined, '', 'g1'])
    assert.deepEqual(allKeys('Cafe\u0301 open', []), [ofText])
    assert.deepEqual(rest, ['g2', 'g1'])
    assert.notEqual(allKeys('caf\u00e9 open', [])[0], ofText)
    assert.deepEqual(allKeys(' \n', []), [])
    assert.equal(allKeys('x', ['a b c d e f g h']).length, MAX_DEDUPE_KEYS)
  })

  test('keys of texts are recognised, also those of earlier releases', () => {
    const hash = '0123456789abcdef0123456789abcdef'
    assert.ok(isTextKey(allKeys('x', [])[0]!))
    for (const dedupeKey of [
      `caption:instagram/#${hash}`,
      `guid:mira@twitter/#${hash}`,
      `guid:a b@demo-micro/#${hash}`,
    ])
      assert.deepEqual([isIdKey(dedupeKey), isTextKey(dedupeKey)], [false, false])
    for (const dedupeKey of [
      'guid:instagram/#Cabc',
      'guid:foursquare/#5f0c0ffee0c0ffee0c0ffee0',
      'page:a.test/@b/#x',
      'file:a.test/1.jpg',
      'g1',
    ])
      assert.ok(isIdKey(dedupeKey))
    for (const dedupeKey of ['link:a.test/@b/#x', 'of:guid:instagram/#Cabc']) assert.ok(!isIdKey(dedupeKey))
  })
})
