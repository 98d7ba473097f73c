import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { globalId } from '#model/items/idr.ts'
import { TYPE_NAMES } from '#model/items/types.ts'
import { send } from '../../harness/send.ts'
import { type Item, type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
let reader: Reader
let library: Profile
let museum: Profile

before(async () => {
  harness = await startReadingHarness()
  reader = await harness.newReader()
  library = await harness.newProfile(reader, 'library', 'ada')
  museum = await harness.newProfile(reader, 'museum', 'ada lovelace@x')
  await harness.put(library, [
    { id: 'p1', at: 1000, types: ['photos'], title: 'One', description: 'First', guid: ['g1', 'g2'] },
    { id: 's/1 ü', at: 2000, types: ['statuses', 'news'], text: 'Look', url: 'https://a.test/' },
    { id: 'plain', at: 3000 },
  ])
  await harness.put(library, [{ id: 'f1', at: 4000, types: ['photos', 'contacts'], author: 'bob' }], 'feed')
  await harness.put(museum, [
    { id: 'c1', at: 5000, types: ['contacts'], name: 'Cleo', handle: 'cleo', email: 'c@x.test' },
  ])
})
after(() => harness.stop())

const first = async (path: string) => (await harness.items(path, reader))[0]!
const refused = async (path: string) => {
  const { status, body } = await harness.request(path, reader)
  return [status, (body as { reason: string }).reason]
}

suite('the shape of an item', () => {
  test('has its names, its times, its record unchanged and its types', async () => {
    const { id, updated, ...rest } = await first('/types/photos')
    const idr = 'thing:ada@library/things#p1'
    assert.equal(id, globalId({ type: 'thing', owner: 'ada', service: 'library', endpoint: 'things', item: 'p1' }))
    assert.ok(Date.now() - updated < 600_000)
    assert.deepEqual(rest, {
      idr,
      at: 1000,
      data: { id: 'p1', at: 1000, types: ['photos'], title: 'One', description: 'First', guid: ['g1', 'g2'] },
      types: { photo: true },
      guid: 'g1 g2',
      oembed: { type: 'photo', title: 'One', provider_name: 'Library', description: 'First' },
    })
  })

  test('segments of an IDR are encoded', async () => {
    assert.equal((await first('/types/news')).idr, 'thing:ada@library/things#s%2F1%20%C3%BC')
    assert.match((await first('/types/contacts')).idr, /^thing:ada%20lovelace%40x@museum\/things#c1$/)
  })

  test('an item of two types has both, and one from a feed says so', async () => {
    assert.deepEqual((await first('/types/news')).types, { status: true, news: true })
    assert.deepEqual((await first('/types/photos_feed')).types, { photo: true, photos_feed: true })
  })

  test('the card comes with types and ids, and not with services', async () => {
    assert.deepEqual((await first('/types/contacts')).oembed, {
      type: 'contact',
      title: 'Cleo',
      provider_name: 'Museum',
      handle: 'cleo',
      email: 'c@x.test',
    })
    assert.equal((await first('/services/library/things')).oembed, undefined)
    const { id } = await first('/types/contacts')
    const { body } = await harness.request(`/id/${id}`, reader)
    assert.equal((body as Item).oembed?.['title'], 'Cleo')
  })
})

suite('paths', () => {
  test('GET /services/:service counts its endpoints', async () => {
    const { body } = await harness.request('/services/library', reader)
    assert.deepEqual(body, { things: 3, others: 0, feed: 1, self: 1 })
    const { body: rich } = await harness.request('/services/library?rich=true', reader)
    const [self] = await harness.items('/services/library/self', reader)
    assert.deepEqual(rich, {
      self: { count: 1, oldest: self?.at, newest: self?.at },
      things: { count: 3, oldest: 1000, newest: 3000 },
      others: { count: 0 },
      feed: { count: 1, oldest: 4000, newest: 4000 },
    })
  })

  test('GET /services/:service accepts id@service and aliases', async () => {
    for (const name of ['ada@library', 'library-alias', 'ada@library-alias'])
      assert.deepEqual(
        (await harness.request(`/services/${name}`, reader)).body,
        { things: 3, others: 0, feed: 1, self: 1 },
        name,
      )
    assert.deepEqual(await refused('/services/bob@library'), [404, 'no_profile'])
    assert.equal((await harness.request('/services/ada%2520lovelace%2540x@museum/things', reader)).status, 200)
  })

  test('GET /services/:service/:endpoint returns its items, also those without a type', async () => {
    const ids = (await harness.items('/services/library/things', reader)).map(({ data }) => data.id)
    assert.deepEqual(ids, ['plain', 's/1 ü', 'p1'])
    assert.deepEqual(await harness.items('/services/library/others', reader), [])
  })

  test('an unknown profile, endpoint, type or id returns 404', async () => {
    assert.deepEqual(await refused('/services/github/events'), [404, 'no_profile'])
    assert.deepEqual(await refused('/services/nothing'), [404, 'no_profile'])
    for (const name of ['nothing', 'constructor', '__proto__', 'toString'])
      assert.deepEqual(await refused(`/services/library/${name}`), [404, 'not_found'], name)
    for (const name of ['nothing', 'photo', 'constructor', 'all_Feed'])
      assert.deepEqual(await refused(`/types/${name}`), [404, 'not_found'], name)
    assert.deepEqual(await refused('/services/library/things/none'), [404, 'not_found'])
    assert.deepEqual(await refused('/services/library/feed/p1'), [404, 'not_found'])
    for (const id of ['x', '0'.repeat(32), `${'0'.repeat(32)}_${'0'.repeat(9)}`, 'thing:ada@library/things'])
      assert.deepEqual(await refused(`/id/${id}`), [404, 'not_found'], id)
    assert.deepEqual(await refused('/id/%00'), [400, 'bad_parameter'])
  })

  test('GET /services/:service/:endpoint/:id finds by native id, with any characters', async () => {
    const { body } = await harness.request(`/services/library/things/${encodeURIComponent('s/1 ü')}`, reader)
    assert.equal((body as Item).data.id, 's/1 ü')
  })

  test('GET /types counts every type, all and all_feed', async () => {
    const { body } = await harness.request('/types', reader)
    const expected = { photos: 1, statuses: 1, news: 1, contacts: 1, photos_feed: 1, all: 2, all_feed: 1 }
    assert.deepEqual(body, { ...Object.fromEntries(TYPE_NAMES.map((type) => [type, 0])), ...expected })
    const { body: rich } = await harness.request('/types?rich=1', reader)
    assert.deepEqual((rich as Record<string, unknown>)['all'], { count: 2, oldest: 1000, newest: 2000 })
    assert.deepEqual((rich as Record<string, unknown>)['tracks'], { count: 0 })
  })

  test('GET /types/:type: all is what the person made, without contacts; all_feed what others made', async () => {
    const ids = async (type: string) => (await harness.items(`/types/${type}`, reader)).map(({ data }) => data.id)
    assert.deepEqual(await ids('all'), ['s/1 ü', 'p1'])
    assert.deepEqual(await ids('all_feed'), ['f1'])
    assert.deepEqual(await ids('contacts'), ['c1'])
    assert.deepEqual(await ids('tracks'), [])
    for (const type of TYPE_NAMES) assert.ok(Array.isArray(await ids(type)), type)
  })

  test('GET /id/:id accepts the id and the IDR, encoded once or with its segments spelled differently', async () => {
    const item = await first('/types/news')
    for (const id of [item.id, encodeURIComponent(item.idr), encodeURIComponent('THING:ada@LIBRARY/things#s%2f1 ü')]) {
      const { status, body } = await harness.request(`/id/${id}`, reader)
      assert.equal(status, 200, id)
      assert.equal((body as Item).id, item.id)
    }
  })

  test('GET /services is public and lists the services that can be connected', async () => {
    const { status, body } = await send(harness, 'GET', '/services')
    assert.equal(status, 200)
    const { library: card } = body as Record<
      string,
      { title: string; auth: string; endpoints: object; has_keys?: boolean }
    >
    assert.equal(card?.title, 'Library')
    assert.deepEqual(Object.keys(card?.endpoints ?? {}), ['things', 'others', 'feed'])
    assert.equal(card?.has_keys, undefined)
    const { body: ofApp } = await harness.request(`/services?client_id=${harness.appId}`, reader)
    assert.equal((ofApp as Record<string, { has_keys: boolean }>)['library']?.has_keys, false)
  })

  test('every path also works under /v0', async () => {
    for (const path of ['/types', '/types/photos', '/services/library', '/services/library/things'])
      assert.equal((await harness.request(`/v0${path}`, reader)).text, (await harness.request(path, reader)).text, path)
  })
})

suite('single items', () => {
  test('have a weak ETag; a caller who has it gets 304 and no body', async () => {
    const { id } = await first('/types/photos')
    const { headers, text } = await harness.request(`/id/${id}`, reader)
    const etag = headers.get('etag') ?? ''
    assert.match(etag, /^W\/"[^"]+"$/)
    for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await harness.request(`/id/${id}`, reader, { headers: { 'if-none-match': given } })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], given)
    }
    const fresh = await harness.request(`/id/${id}`, reader, { headers: { 'if-none-match': '"other"' } })
    assert.deepEqual([fresh.status, fresh.text], [200, text])
  })

  test('the ETag differs per representation, and is the same with the token in the query', async () => {
    const { id } = await first('/types/photos')
    const etag = async (path: string) => (await harness.request(path, reader)).headers.get('etag')
    assert.notEqual(await etag(`/id/${id}`), await etag(`/id/${id}?map=true`))
    assert.equal(await etag(`/id/${id}`), await etag(`/id/${id}?access_token=${reader.token}`))
  })

  test('the ETag changes with the item', async () => {
    const other = await harness.newReader()
    const profile = await harness.newProfile(other)
    const tag = async () => (await harness.request('/services/library/things/x', other)).headers.get('etag')
    await harness.put(profile, [{ id: 'x', at: 1, text: 'a' }])
    const before = await tag()
    await harness.put(profile, [{ id: 'x', at: 1, text: 'a' }])
    assert.equal(await tag(), before)
    await harness.put(profile, [{ id: 'x', at: 1, text: 'b' }])
    assert.notEqual(await tag(), before)
  })

  test('personal data is not cacheable', async () => {
    for (const path of ['/types', '/types/photos', '/services/library/things'])
      assert.equal((await harness.request(path, reader)).headers.get('cache-control'), 'no-store', path)
  })
})
