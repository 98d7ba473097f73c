import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { TYPE_NAMES } from '#model/items/types.ts'
import { type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

async function readerOf(things: Thing[], endpoint = 'things'): Promise<Reader> {
  const reader = await harness.newReader()
  await harness.put(await harness.newProfile(reader), things, endpoint)
  return reader
}

const dinner: Thing = {
  id: 'dinner',
  at: 1,
  types: ['statuses', 'photos', 'news', 'checkins'],
  name: 'Harbour',
  text: 'What a dinner',
  title: 'Evening',
  description: 'A table by the sea',
  url: 'https://x.test/dinner',
  image: 'https://x.test/dinner.jpg',
  link: { url: 'https://reading.test/smaller-kitchens', title: 'The case for smaller kitchens' },
}

suite('the card of an item', () => {
  const only = async (path: string, reader: Reader) => {
    const [item, ...more] = await harness.items(path, reader)
    assert.equal(more.length, 0)
    return item?.oembed ?? {}
  }

  for (const endpoint of ['things', 'feed']) {
    const suffix = endpoint === 'feed' ? '_feed' : ''
    test(`is of the requested type (${endpoint})`, async () => {
      const reader = await readerOf([{ ...dinner, author: 'ben' }], endpoint)
      const cards = {
        statuses: ['text', 'Evening', dinner.url, dinner.text],
        photos: ['photo', 'Evening', dinner.image, undefined],
        news: ['link', 'The case for smaller kitchens', 'https://reading.test/smaller-kitchens', undefined],
        checkins: ['checkin', 'Evening', dinner.url, dinner.text],
      }
      for (const [type, expected] of Object.entries(cards)) {
        const { type: shown, title, url, text } = await only(`/types/${type}${suffix}`, reader)
        assert.deepEqual([shown, title, url, text], expected, type)
      }
      assert.equal((await only(`/types/all${suffix}`, reader))['type'], 'checkin')
    })
  }

  test('is the main one at /id, and with fields and map the one of the type', async () => {
    const reader = await readerOf([dinner])
    const [item] = await harness.items('/types/news?map=true', reader)
    assert.equal((item!.map!['oembed'] as { type: string }).type, 'link')
    const { body } = await harness.request(`/id/${item!.id}`, reader)
    assert.equal((body as { oembed: { type: string } }).oembed.type, 'checkin')
    const fields = await harness.request('/types/photos?fields=oembed.type,oembed.url&q=evening', reader)
    assert.deepEqual(fields.body, [{ 'oembed.type': 'photo', 'oembed.url': dinner.image }])
    const paths = 'fields=oembed.type,map.oembed.type'
    const typed = await harness.request(`/types/checkins?${paths}`, reader)
    assert.deepEqual(typed.body, [{ 'oembed.type': 'checkin', 'map.oembed.type': 'checkin' }])
    // Items of an endpoint have no card of their own.
    const own = await harness.request(`/services/library/things?${paths}`, reader)
    assert.deepEqual(own.body, [{ 'oembed.type': null, 'map.oembed.type': 'checkin' }])
    const nested = await harness.request('/services/library/things?select=oembed.type,map.oembed.type', reader)
    assert.deepEqual(nested.body, [{ map: { oembed: { type: 'checkin' } } }])
  })

  test('of each type is searched, whichever type is read', async () => {
    const reader = await readerOf([dinner])
    for (const type of ['news', 'photos', 'statuses', 'checkins', 'all'])
      for (const q of ['kitchens', 'reading.test', '"smaller kitchens"', 'evening', 'table', 'dinner'])
        assert.equal(
          (await harness.items(`/types/${type}?q=${encodeURIComponent(q)}`, reader)).length,
          1,
          `${type} ${q}`,
        )
    assert.equal((await harness.items('/types/news?q=%22kitchens%20evening%22', reader)).length, 0)
  })

  test('is read whatever the record contains', async () => {
    const hostile = 'a\0b \ud800 "c" \\u0000 \\ud83d \u2028 </script>'
    const reader = await readerOf([
      { ...dinner, text: hostile, description: hostile, link: { url: 'https://x.test/?q=\0', title: hostile } },
    ])
    const card = await only('/types/news', reader)
    assert.deepEqual([card['type'], card['title']], ['link', hostile.replace('\0', '\ufffd').toWellFormed()])
    assert.equal((await only('/types/photos?q=a', reader))['type'], 'photo')
  })

  test('follows a change of the types', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.put(profile, [dinner])
    await harness.put(profile, [{ ...dinner, types: ['news'] }])
    assert.equal((await only('/types/news', reader))['type'], 'link')
    assert.equal((await only('/types/all', reader))['type'], 'link')
    assert.deepEqual(await harness.items('/types/photos', reader), [])
  })

  test('of own items is of their type', async () => {
    const reader = await harness.newReader()
    const items = [
      {
        id: 'p',
        at: 1,
        type: 'photo',
        title: 'Bridge',
        url: 'https://x.test/page',
        image: 'https://x.test/bridge.jpg',
      },
      { id: 't', at: 2, type: 'track', title: 'Dawn', artist: 'The Larks', album: 'Fields', url: 'https://x.test/t' },
      { id: 'n', at: 3, type: 'news', title: 'Fungi', url: 'https://x.test/fungi' },
    ]
    const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(items) }
    assert.equal((await harness.request('/services/self/things', reader, posted)).status, 200)
    const shown = async (type: string) => {
      const { type: card, title, url, description } = await only(`/types/${type}`, reader)
      return [card, title, url, description]
    }
    assert.deepEqual(await shown('photos'), ['photo', 'Bridge', 'https://x.test/bridge.jpg', undefined])
    assert.deepEqual(await shown('tracks'), ['track', 'Dawn', 'https://x.test/t', 'The Larks, Fields'])
    assert.deepEqual(await shown('news'), ['link', 'Fungi', 'https://x.test/fungi', undefined])
  })
})

suite('feeds', () => {
  test('have nothing that the person made', async () => {
    const reader = await readerOf(
      [
        { ...dinner, id: 'own', author: 'ada' },
        { ...dinner, id: 'of-ben', author: 'ben', others: ['ada'] },
        { ...dinner, id: 'of-nobody' },
      ],
      'feed',
    )
    for (const type of TYPE_NAMES.filter((name) => name.endsWith('_feed'))) {
      assert.deepEqual(await harness.items(`/types/${type}?participants=%5Eself`, reader), [])
      const ids = (await harness.items(`/types/${type}`, reader)).map(({ data }) => data.id)
      assert.ok(!ids.includes('own'), type)
      if (type !== 'videos_feed') assert.deepEqual(ids.sort(), ['of-ben', 'of-nobody'], type)
    }
    const all = await harness.items('/services/library/feed', reader)
    assert.equal(all.length, 3)
    const own = all.find(({ data }) => data.id === 'own')!
    assert.deepEqual(own.types, {})
    assert.equal((await harness.request(`/id/${own.id}`, reader)).status, 200)
  })

  test('are searched by the types that they list, and what no type lists by what its card shows', async () => {
    const song = { id: 'song', at: 1, types: ['statuses' as const, 'tracks' as const], text: 'So good', title: 'Dawn' }
    const reader = await readerOf(
      [{ ...dinner, author: 'ada' }, song, { ...dinner, id: 'photo', types: ['photos'], author: 'ada' }],
      'feed',
    )
    const found = async (q: string) =>
      (await harness.items(`/services/library/feed?q=${q}`, reader)).map(({ data }) => data.id).toSorted()
    const [item] = await harness.items('/types/statuses_feed', reader)
    assert.deepEqual(item?.types, { status: true, statuses_feed: true })
    for (const [q, ids] of [
      ['good', ['song']],
      ['dawn', []],
      ['evening', ['dinner', 'photo']],
      ['dinner', ['dinner', 'photo']],
      // The card of the check-in has no description, and the one of the link is not shown.
      ['table', ['photo']],
      ['kitchens', []],
    ] as const)
      assert.deepEqual(await found(q), ids, q)
  })

  test('take and lose an item whose author changes', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const count = async () => (await harness.items('/types/statuses_feed', reader)).length
    for (const [author, expected] of [
      ['ben', 1],
      ['ada', 0],
      ['cy', 1],
    ] as const) {
      await harness.put(profile, [{ ...dinner, author }], 'feed')
      assert.equal(await count(), expected, author)
    }
  })
})
