import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
let reader: Reader
before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
  await harness.put(await harness.newProfile(reader), [
    {
      id: 'a',
      at: 7,
      types: ['photos'],
      title: 'Title',
      text: 'Words',
      images: [{ source: 'x', width: 1 }, { source: 'y' }, {}],
      nested: [[{ n: 1 }, { n: 2 }], [{ n: 3 }]],
      zero: 0,
      no: false,
      nothing: '',
      none: null,
      empty: [],
      'dotted.name': 'hidden',
      big: JSON.parse('[12345678901234567890]') as unknown,
    },
  ])
})
after(() => harness.stop())

const shown = async (query: Record<string, string>) =>
  (await harness.items(`/types/photos?${new URLSearchParams(query).toString()}`, reader))[0] as unknown

suite('S44 fields', () => {
  const CASES: [string, unknown][] = [
    ['id', undefined],
    ['data.images.source', { 'data.images.source': ['x', 'y', null] }],
    ['data.images.width', { 'data.images.width': [1, null, null] }],
    ['data.nested.n', { 'data.nested.n': [[1, 2], [3]] }],
    [
      'data.zero,data.no,data.nothing,data.none',
      { 'data.zero': 0, 'data.no': false, 'data.nothing': '', 'data.none': null },
    ],
    ['data.missing', { 'data.missing': null }],
    ['data.title.deeper', { 'data.title.deeper': null }],
    ['data.none.deeper', { 'data.none.deeper': null }],
    ['data.empty', { 'data.empty': [] }],
    ['data.images.nope', { 'data.images.nope': null }],
    ['map.text,map.name', { 'map.text': 'Words', 'map.name': null }],
    ['map.counts.likes', { 'map.counts.likes': 0 }],
    ['map.oembed.title,oembed.title', { 'map.oembed.title': 'Title', 'oembed.title': 'Title' }],
    ['types.photo,at', { 'types.photo': true, at: 7 }],
    ['at,at', { at: 7 }],
    [' at , data.zero ', { at: 7, 'data.zero': 0 }],
    ['constructor,data.toString', { constructor: null, 'data.toString': null }],
    ['__proto__,data.__proto__', JSON.parse('{"__proto__":null,"data.__proto__":null}')],
    ['nothing', { nothing: null }],
  ]
  for (const [fields, expected] of CASES)
    test(`fields=${fields}`, async () => {
      const item = (await shown({ fields })) as object
      if (expected === undefined) assert.deepEqual(Object.keys(item), ['id'])
      else assert.deepEqual(item, expected)
    })

  test('the keys are the paths as written, in that order', async () => {
    const { text } = await harness.request('/types/photos?fields=data.zero,at,data.no', reader)
    assert.equal(text, '[{"data.zero":0,"at":7,"data.no":false}]')
  })

  test('applies to services, to single items and together with map', async () => {
    const expected = { at: 7, 'map.text': 'Words' }
    for (const path of ['/services/library/things', '/services/library/things/a', '/types/photos'])
      for (const more of ['', '&map=true']) {
        const { body } = await harness.request(`${path}?fields=at,map.text${more}`, reader)
        assert.deepEqual(Array.isArray(body) ? body[0] : body, expected, path + more)
      }
  })
})

suite('select', () => {
  for (const [select, expected] of [
    ['at', { at: 7 }],
    ['data.images.source', { data: { images: [{ source: 'x' }, { source: 'y' }] } }],
    ['data.zero,data.no,data.nothing,data.none', { data: { zero: 0, no: false, nothing: '', none: null } }],
    ['data.missing', {}],
    ['data.missing,at', { at: 7 }],
    ['map.text', { map: { text: 'Words' } }],
    ['data.title,data', undefined],
    ['__proto__.x,data.__proto__', {}],
  ] as const)
    test(`select=${select}`, async () => {
      const item = (await shown({ select })) as { data: Record<string, unknown> }
      if (expected === undefined) assert.equal(item.data['zero'], 0)
      else assert.deepEqual(item, expected)
    })
})

suite('map', () => {
  test('adds normalised data, and only on request', async () => {
    const item = (await shown({ map: 'true' })) as { map: Record<string, unknown> }
    assert.deepEqual(item.map, {
      id: 'a',
      name: null,
      title: null,
      at: 7,
      author: { id: 'ada' },
      image: null,
      text: 'Words',
      counts: { likes: 0 },
      participants: { ada: { author: true } },
      oembed: { type: 'photo', title: 'Title', provider_name: 'Library' },
    })
    assert.equal(((await shown({})) as { map?: object }).map, undefined)
    assert.equal(((await shown({ map: 'no' })) as { map?: object }).map, undefined)
  })

  test('leaves the rest unchanged, to the last digit', async () => {
    const plain = await harness.request('/types/photos', reader)
    const mapped = await harness.request('/types/photos?map=1', reader)
    assert.equal(mapped.text.replace(/,"map":\{.*\}\}\]$/, '}]'), plain.text)
  })
})
