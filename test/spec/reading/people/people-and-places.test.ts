import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Reader, type ReadingHarness, startReadingHarness } from '../fixture.ts'

let harness: ReadingHarness
let reader: Reader
before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
})
after(() => harness.stop())

const found = async (query: Record<string, string>) =>
  (await harness.items(`/types/photos?limit=100&sort=asc&${new URLSearchParams(query).toString()}`, reader)).map(
    ({ data }) => data.id,
  )

suite('participants', () => {
  const crowd = Array.from({ length: 30 }, (_, i) => `c${i}`)
  const odd = `it's "odd" \\ {a,b} ünï`

  before(async () => {
    const library = await harness.newProfile(reader, 'library', 'ada')
    const museum = await harness.newProfile(reader, 'museum', 'ada2')
    const photos = { types: ['photos' as const] }
    await harness.put(library, [
      { id: 'mine', at: 1, ...photos, author: 'ada', others: ['bob'] },
      { id: 'bobs', at: 2, ...photos, author: 'bob', others: ['ada', 'cy'] },
      { id: 'cys', at: 3, ...photos, author: 'cy', others: ['bob', 'bob', 'cy'] },
      { id: 'silent', at: 4, ...photos },
      { id: 'crowd', at: 5, ...photos, author: 'boss', others: crowd },
      { id: 'odd', at: 6, ...photos, author: odd },
    ])
    await harness.put(museum, [{ id: 'other', at: 7, ...photos, author: 'ada2', others: ['ada'] }])
    await harness.put(museum, [{ id: 'in feed', at: 8, ...photos, others: ['bob'] }], 'feed')
  })

  for (const [participants, expected] of [
    ['bob', ['mine', 'bobs', 'cys']],
    ['bob,ada', ['mine', 'bobs']],
    [' bob , cy ', ['bobs', 'cys']],
    ['^bob', ['bobs']],
    ['^bob,cy', ['bobs']],
    ['^bob,^cy', []],
    ['^bob,^bob', ['bobs']],
    ['nobody', []],
    ['BOB', []],
    // A record without an author was made by the person whose endpoint it is from.
    ['self', ['mine', 'bobs', 'silent', 'other']],
    ['^self', ['mine', 'silent', 'other']],
    ['ada', ['mine', 'bobs', 'silent', 'other']],
    ['^ada', ['mine', 'silent']],
    ['>1', ['mine', 'bobs', 'cys', 'silent', 'crowd', 'odd', 'other']],
    ['>2', ['mine', 'bobs', 'cys', 'crowd', 'other']],
    ['>3', ['bobs', 'crowd']],
    ['>16', ['crowd']],
    ['>2,bob', ['mine', 'bobs', 'cys']],
    ['>3,>2', ['bobs', 'crowd']],
  ] as const)
    test(`participants=${participants} finds ${expected.join(', ') || 'nothing'}`, async () =>
      assert.deepEqual(await found({ participants }), expected))

  test('ids may contain any character but a comma', async () => {
    // The comma separates the list, so an id with a comma cannot be queried.
    await harness.put(await harness.newProfile(reader, 'library', 'quoting'), [
      { id: 'quoted', at: 9, types: ['photos'], author: `it's "odd" \\ {a} ünï %` },
    ])
    assert.deepEqual(await found({ participants: `^it's "odd" \\ {a} ünï %` }), ['quoted'])
  })

  test('an item of a feed without an author is not attributed to the person', async () => {
    const items = await harness.items('/types/photos_feed?participants=bob', reader)
    assert.deepEqual(
      items.map(({ data }) => data.id),
      ['in feed'],
    )
    assert.deepEqual(await harness.items('/types/photos_feed?participants=%5Eself', reader), [])
  })

  test('only the first 16 of an item are found, the author first', async () => {
    for (const id of ['boss', ...crowd])
      assert.deepEqual(await found({ participants: id }), crowd.indexOf(id) < 15 ? ['crowd'] : [], id)
    assert.deepEqual(await found({ participants: '^boss,c14,>16' }), ['crowd'])
  })

  test('map shows the first 16, with the author marked', async () => {
    const [item] = await harness.items('/types/photos?participants=boss&map=true', reader)
    const people = item!.map!['participants'] as Record<string, object>
    assert.deepEqual(Object.keys(people), ['boss', ...crowd.slice(0, 15)])
    assert.deepEqual([people['boss'], people['c0']], [{ author: true }, {}])
  })
})

suite('near', () => {
  const places: [string, number, number][] = [
    ['lisbon', 38.7223, -9.1393],
    ['almada', 38.6765, -9.1651],
    ['porto', 41.1579, -8.6291],
    ['east of the line', -17, 179.99],
    ['west of the line', -17, -179.99],
    ['on the line', -17, 180],
    ['still on the line', -17, -180],
    ['north pole', 90, 0],
    ['near the pole', 89.95, 120],
    ['beyond the pole', 89.95, -60],
    ['south pole', -90, 77],
    ['null island', 0, 0],
  ]

  before(async () => {
    const profile = await harness.newProfile(reader, 'museum', 'traveller')
    await harness.put(
      profile,
      places.map(([id, lat, lng], i) => ({ id, at: 100 + i, types: ['photos'], lat, lng })),
    )
    await harness.put(profile, [{ id: 'nowhere', at: 99, types: ['photos'] }])
  })

  for (const [near, within, expected] of [
    ['38.7223,-9.1393', undefined, ['lisbon', 'almada']],
    ['38.7223,-9.1393', '5', ['lisbon']],
    ['38.7223,-9.1393', '0', ['lisbon']],
    ['38.7223,-9.1393', '273', ['lisbon', 'almada']],
    ['38.7223,-9.1393', '275', ['lisbon', 'almada', 'porto']],
    ['-17,180', '0', ['on the line', 'still on the line']],
    ['-17,179.99', '3', ['east of the line', 'west of the line', 'on the line', 'still on the line']],
    ['-17,-179.99', '3', ['east of the line', 'west of the line', 'on the line', 'still on the line']],
    ['-17,179.99', '2', ['east of the line', 'on the line', 'still on the line']],
    ['-17,-179.99', '1', ['west of the line']],
    ['90,-123', '6', ['north pole', 'near the pole', 'beyond the pole']],
    ['89.95,120', '6', ['north pole', 'near the pole']],
    ['89.95,120', '12', ['north pole', 'near the pole', 'beyond the pole']],
    ['-90,0', '1', ['south pole']],
    [' +0.0 , -0 ', '1', ['null island']],
    ['0,0', '20100', places.map(([id]) => id)],
    ['0,0', '999999999', places.map(([id]) => id)],
  ] as const)
    test(`near=${near} within=${within ?? 'default'} finds ${expected.join(', ')}`, async () =>
      assert.deepEqual(await found({ near, ...(within === undefined ? {} : { within }) }), expected))

  test('the circle has a radius of 10 km unless within is given', async () => {
    const profile = await harness.newProfile(reader, 'library', 'runner')
    const kmPerDegree = (6371.0088 * Math.PI) / 180
    await harness.put(
      profile,
      [9.99, 10.01].map((km) => ({ id: `${km} km`, at: 1, types: ['photos'], lat: 60 + km / kmPerDegree, lng: 60 })),
    )
    assert.deepEqual(await found({ near: '60,60' }), ['9.99 km'])
    assert.deepEqual((await found({ near: '60,60', within: '10.02' })).toSorted(), ['10.01 km', '9.99 km'])
  })

  test('within alone filters nothing', async () => {
    assert.ok((await found({ within: '5' })).includes('nowhere'))
  })

  test('combines with every other filter', async () => {
    assert.deepEqual(await found({ near: '38.7,-9.1', within: '500', since: '101', participants: 'traveller' }), [
      'almada',
      'porto',
    ])
  })
})
