import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type ReadingHarness, startReadingHarness } from '../fixture.ts'
import type { Thing } from '../thing.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const HOUR_MS = 3_600_000
/** When the first things were stored; later changes are hours after it. */
const BEGAN = Date.UTC(2026, 0, 1)
const thing = (id: string, at: number, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const names = (items: Item[]) => items.map(({ data }) => data.id)

suite('updated_since', () => {
  test('gives items whose content changed at that time or later, in the order of their own time', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const all = [thing('a', 1000), thing('b', 2000), thing('c', 3000)]
    await harness.put(profile, all, 'things', BEGAN)
    const later = BEGAN + 5 * HOUR_MS
    // Unchanged ones keep their time.
    await harness.put(profile, [{ ...all[0]!, title: 'Tea' }, all[1]!, thing('d', 500)], 'things', later)
    for (const path of ['/types/photos', '/services/library/things'])
      for (const [query, expected] of [
        [`updated_since=${later}`, ['a', 'd']],
        [`updated_since=${later + 1}`, []],
        [`updated_since=${BEGAN + 1}`, ['a', 'd']],
        [`updated_since=${BEGAN}`, ['c', 'b', 'a', 'd']],
        ['updated_since=-5', ['c', 'b', 'a', 'd']],
        [`updated_since=${later}&sort=asc`, ['d', 'a']],
        [`updated_since=${later}&limit=1`, ['a']],
        [`updated_since=${later}&since=600`, ['a']],
        [`updated_since=${later}&until=600`, ['d']],
        [`updated_since=${later}&q=tea`, ['a']],
        [`updated_since=${BEGAN}&q=coffee`, []],
      ] as const)
        assert.deepEqual(names(await harness.items(`${path}?${query}`, reader)), expected, `${path}?${query}`)
  })

  test('finds few changed ones among many, in every profile, with any other filter, page by page', async () => {
    const reader = await harness.newReader()
    const [library, museum] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const many = Array.from({ length: 900 }, (_, i) => thing(`n${i}`, i, { lat: 1, lng: 1, author: `p${i % 2}` }))
    await harness.put(library, many, 'things', BEGAN)
    await harness.put(museum, many, 'things', BEGAN)
    const later = BEGAN + 5 * HOUR_MS
    const changed = (ids: number[]) => ids.map((i) => ({ ...many[i]!, text: 'new' }))
    await harness.put(library, changed([3, 5, 8]), 'things', later)
    await harness.put(museum, changed([4, 5]), 'things', later)
    const query = `/types/photos?updated_since=${later}`
    assert.deepEqual(names(await harness.items(query, reader)).sort(), ['n3', 'n4', 'n5', 'n5', 'n8'])
    assert.deepEqual(names(await harness.items(`${query}&services=museum`, reader)), ['n5', 'n4'])
    assert.deepEqual(names(await harness.items(`${query}&participants=p0`, reader)), ['n8', 'n4'])
    assert.deepEqual(names(await harness.items(`${query}&near=1,1&since=5`, reader)), ['n8', 'n5', 'n5'])
    const pages: string[] = []
    for (let before = ''; ; ) {
      const [item] = await harness.items(`${query}&limit=1${before}`, reader)
      if (item === undefined) break
      pages.push(item.data.id)
      before = `&before=${item.at}_${item.id}`
    }
    assert.deepEqual(pages, ['n8', 'n5', 'n5', 'n4', 'n3'])
  })

  test('an older state of an item after a merge does not hide that it changed', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const [old, kept] = [await harness.newProfile(source), await harness.newProfile(dest)]
    const later = BEGAN + 5 * HOUR_MS
    await harness.put(kept, [thing('a', 1)], 'things', BEGAN)
    await harness.put(old, [thing('a', 1, { text: 'x' }), thing('b', 2)], 'things', later)
    await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
    assert.deepEqual(names(await harness.items(`/types/photos?updated_since=${later}`, dest)), ['b'])
    await harness.put(kept, [thing('a', 1, { text: 'y' })], 'things', later)
    assert.deepEqual(names(await harness.items(`/types/photos?updated_since=${later}`, dest)), ['b', 'a'])
  })

  test('is refused when it is not a time', async () => {
    const reader = await harness.newReader()
    await harness.newProfile(reader)
    for (const value of ['x', '', '1.5', '2026-01-01', '99999999999999999']) {
      const { status, body } = await harness.request(`/types/photos?updated_since=${value}`, reader)
      assert.equal(status, 400, value)
      assert.match((body as { error: string }).error, /^updated_since: /)
    }
  })
})

suite('counts of types and endpoints', () => {
  const TOMORROW = () => Date.now() + 86_400_000
  const counts = async (path: string, reader: { token: string }) => {
    const { status, body, text } = await harness.request(path, reader)
    assert.equal(status, 200, text)
    return body as Record<string, number>
  }

  test('count what the lists show: neither the future nor before 1970, unless since and until include them', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const events = (id: string, at: number): Thing => ({ id, at, types: ['events'] })
    await harness.put(profile, [events('a', 1000), events('b', 2000), events('c', TOMORROW()), events('d', -5)])
    await harness.put(profile, [events('later', TOMORROW())], 'others')
    for (const [query, things, others] of [
      ['', 2, 0],
      ['until=9007199254740991', 3, 1],
      ['since=-5', 3, 0],
      ['since=2000', 1, 0],
      ['until=1999', 1, 0],
    ] as const) {
      const list = async (path: string) => (await harness.items(`${path}?limit=100&${query}`, reader)).length
      assert.equal((await counts(`/types?${query}`, reader))['events'], things + others, query)
      assert.equal(await list('/types/events'), things + others, query)
      assert.deepEqual(await counts(`/services/library?${query}`, reader), {
        things,
        others,
        feed: 0,
        // The person signed in just now.
        ...(query === 'until=1999' ? {} : { self: 1 }),
      })
      assert.equal(await list('/services/library/things'), things, query)
    }
    const rich = (await counts('/types?rich=true', reader)) as Record<string, unknown>
    assert.deepEqual(rich['events'], { count: 2, oldest: 1000, newest: 2000 })
    assert.deepEqual((await counts('/services/library?rich=true', reader))['others'], { count: 0 })
    for (const path of ['/types?until=x', '/services/library?since=x'])
      assert.equal((await harness.request(path, reader)).status, 400)
  })

  test('an own endpoint with items of the future only is listed with 0, as its list is empty', async () => {
    const reader = await harness.newReader()
    await harness.request('/services/self/plans', reader, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ id: 1, at: TOMORROW() }]),
    })
    assert.deepEqual(await counts('/services/self', reader), { plans: 0 })
    assert.deepEqual(await harness.items('/services/self/plans', reader), [])
  })

  test('of types can be limited to services, which must be known', async () => {
    const reader = await harness.newReader()
    const [library, museum] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum', 'ben')]
    await harness.put(library, [thing('a', 1), thing('b', 2)])
    await harness.put(museum, [thing('c', 3)])
    for (const [services, photos] of [
      ['library', 2],
      ['museum', 1],
      ['ben@museum', 1],
      ['ada@museum', 0],
      ['library,museum', 3],
      ['library-alias', 2],
      ['self', 0],
    ] as const) {
      assert.equal((await counts(`/types?services=${services}`, reader))['photos'], photos, services)
      assert.equal((await harness.items(`/types/photos?services=${services}`, reader)).length, photos, services)
    }
    const [list, count] = await Promise.all([
      harness.request('/types/photos?services=nope', reader),
      harness.request('/types?services=nope', reader),
    ])
    const said = ({ status, body }: typeof list) => [status, (body as { error: string }).error]
    assert.equal(count.status, 400)
    assert.deepEqual(said(count), said(list))
  })
})
