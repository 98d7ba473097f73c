import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from '../fixture.ts'
import { contact, ids, type ListedPerson, names, peopleReader, usersOf } from './people-fixture.ts'

let harness: ReadingHarness
let page: ReturnType<typeof peopleReader>
before(async () => {
  harness = await startReadingHarness()
  page = peopleReader(harness)
})
after(() => harness.stop())

suite('people', () => {
  let reader: Reader
  before(async () => {
    reader = await harness.newReader()
    const library = await harness.newProfile(reader, 'library', 'ada')
    const museum = await harness.newProfile(reader, 'museum', 'ada2')
    await harness.put(library, [
      contact('l1', {
        at: 10,
        name: 'Ann Lee',
        handle: 'ann',
        email: 'Ann@Mail.test',
        url: 'https://library.test/ann',
      }),
      contact('l2', { at: 20, name: 'Bob Ray', handle: 'bob', url: 'https://www.bob.test/about/' }),
      contact('l3', { at: 30, name: 'Zoë Ångström', handle: 'zoe' }),
      contact('l4', { at: 40, name: 'Ann Lee', handle: 'other' }),
      contact('ada', { at: 50, name: 'Ada Own' }),
    ])
    await harness.put(library, [contact('l1', { at: 5, name: 'Ann L.' })], 'others')
    await harness.put(museum, [
      contact('m1', { at: 61, name: 'A. Lee', email: ' ann@mail.test' }),
      contact('m2', { at: 62, name: 'Robert', url: 'http://bob.test/about' }),
      contact('m3', { at: 63, name: 'ZOE ANGSTROM', handle: '@Zoe' }),
    ])
    await harness.put(library, [
      { id: 'by ann', at: 100, types: ['statuses'], text: 'a', author: 'l1' },
      { id: 'with ann', at: 101, types: ['photos', 'statuses'], author: 'ada', others: ['l1', 'l2'] },
      { id: 'by nobody', at: 102, types: ['photos'], author: 'x' },
      { id: 'untyped', at: 103, author: 'l1' },
    ])
    await harness.put(library, [{ id: 'ann in feed', at: 99, types: ['photos'], author: 'l1' }], 'feed')
    // The same id at another service is another user.
    await harness.put(museum, [
      { id: 'namesake', at: 110, types: ['photos'], author: 'l1' },
      { id: 'ann at museum', at: 111, types: ['news'], author: 'm1' },
    ])
  })

  test('are contacts with the same e-mail address, link, or handle and name; in order of their names', async () => {
    const list = await page.people(reader)
    assert.deepEqual(names(list), ['Ada Own', 'Ann L.', 'Ann Lee', 'Bob Ray', 'Zoë Ångström'])
    assert.deepEqual(list.map(usersOf), [
      ['library ada'],
      ['library l1', 'library l1', 'museum m1'],
      ['library l4'],
      ['library l2', 'museum m2'],
      ['library l3', 'museum m3'],
    ])
  })

  test('have their values once, and the contacts of each service', async () => {
    const [ann] = await page.people(reader, 'q=ann+mail')
    assert.deepEqual([ann?.emails, ann?.handles, ann?.urls], [['Ann@Mail.test'], ['ann'], ['https://library.test/ann']])
    const { id, idr } = ann!.services['library']![0]!
    assert.equal(ann?.id, id)
    assert.deepEqual([idr, ann?.services['library']![0]!.profile], ['thing:ada@library/others#l1', 'ada@library'])
    const { body } = await page.get(`/id/${id}`, reader)
    assert.equal((body as Item).idr, idr)
  })

  test('include the person only where a service lists them as a contact', async () => {
    const marked = (await page.people(reader)).filter((person) => person.self === true)
    assert.deepEqual(names(marked), ['Ada Own'])
  })

  test('are found by beginnings of words of name, handle and e-mail address', async () => {
    for (const [q, expected] of [
      ['ann', ['Ann L.', 'Ann Lee']],
      ['LEE a', ['Ann L.', 'Ann Lee']],
      ['ann@mail.test', ['Ann L.']],
      ['angstr', ['Zoë Ångström']],
      ['rob', ['Bob Ray']],
      ['ob', []],
      ['!!', []],
    ] as const) {
      const { body, headers } = await page.get(`/people?count=true&q=${encodeURIComponent(q)}`, reader)
      assert.deepEqual(names(body as ListedPerson[]), expected, q)
      assert.equal(headers.get('x-total-count'), String(expected.length))
    }
  })

  test('of some services are complete people', async () => {
    const list = await page.people(reader, 'services=museum')
    assert.deepEqual(names(list), ['Ann L.', 'Bob Ray', 'Zoë Ångström'])
    assert.deepEqual(usersOf(list[1]!), ['library l2', 'museum m2'])
    assert.deepEqual(names(await page.people(reader, 'services=ada2%40museum&q=zoe')), ['Zoë Ångström'])
    assert.equal((await harness.request('/people?services=nowhere', reader)).status, 400)
  })

  test('are paged in a stable order', async () => {
    const all = await page.people(reader)
    for (const limit of [1, 2, 4, 5, 500]) {
      const { found, pages } = await page.allPages(reader, `/people?limit=${limit}&access_token=${reader.token}`)
      assert.deepEqual(found, all)
      assert.equal(pages, Math.ceil(all.length / limit))
    }
    const { headers } = await page.get('/people?limit=2&count=true&q=ann', reader)
    assert.deepEqual([headers.get('x-total-count'), page.nextOf(headers)], ['2', undefined])
    assert.deepEqual(await page.people(reader, 'limit=0'), [])
    const linked = page.nextOf((await page.get(`/people?limit=1&access_token=${reader.token}`, reader)).headers)
    assert.ok(!linked?.includes(reader.token))
  })

  test('refuse parameters that cannot be understood, by name', async () => {
    for (const query of [
      'limit=501',
      'limit=-1',
      'limit=x',
      'cursor=x',
      'cursor=',
      'count=maybe',
      `q=${'x'.repeat(301)}`,
    ]) {
      const { status, body } = await harness.request(`/people?${query}`, reader)
      assert.equal(status, 400, query)
      assert.match((body as { error: string }).error, new RegExp(query.split('=', 1)[0]!))
    }
    const forged = Buffer.from('["a","b"]').toString('base64url')
    assert.equal((await harness.request(`/people?cursor=${forged}`, reader)).status, 400)
  })

  test('are found by the id or IDR of any of their contacts', async () => {
    const [ann] = await page.people(reader, 'q=ann+mail')
    for (const { id, idr } of Object.values(ann!.services).flat()) {
      for (const name of [id, encodeURIComponent(idr)]) assert.equal((await page.one(reader, name)).id, ann!.id)
    }
    const [photo] = await harness.items('/types/photos', reader)
    for (const id of [photo!.id, `${'0'.repeat(32)}_${'0'.repeat(9)}`, 'x', 'thing%3Aada%40library%2Fthings'])
      assert.equal((await harness.request(`/people/${id}`, reader)).status, 404, id)
  })

  test('come with the items in which they appear, newest first, and their number', async () => {
    const [{ id }] = (await page.people(reader, 'q=ann+mail')) as [ListedPerson]
    const ann = await page.one(reader, id)
    assert.deepEqual(ids(ann.items), ['ann at museum', 'with ann', 'by ann', 'ann in feed'])
    assert.deepEqual(ann.appearances, {
      library: { photos: 1, statuses: 2, photos_feed: 1 },
      museum: { news: 1 },
    })
    assert.deepEqual(((await page.get(`/people/${id}?limit=0`, reader)).body as ListedPerson).items, [])
  })

  test('have pages of items with the usual parameters', async () => {
    const [{ id }] = (await page.people(reader, 'q=ann+mail')) as [ListedPerson]
    const items = async (query: string) => ids((await page.get(`/people/${id}/items?${query}`, reader)).body as Item[])
    const all = ['ann at museum', 'with ann', 'by ann', 'ann in feed']
    for (const [query, expected] of [
      ['', all],
      ['sort=asc', all.toReversed()],
      ['type=photos', ['with ann']],
      ['type=photos_feed', ['ann in feed']],
      ['type=contacts', []],
      ['services=museum', ['ann at museum']],
      ['services=self', []],
      ['participants=l2', ['with ann']],
      ['participants=%5El1', ['by ann', 'ann in feed']],
      ['since=100&until=101', ['with ann', 'by ann']],
      ['dedup=true', all],
    ] as const)
      assert.deepEqual(await items(query), expected, query)
    assert.equal((await harness.request(`/people/${id}/items?type=things`, reader)).status, 400)
    // The link of the person continues where its items end.
    const first = await page.get(`/people/${id}?limit=3`, reader)
    assert.deepEqual(ids((first.body as ListedPerson).items), all.slice(0, 3))
    const second = await page.get(page.nextOf(first.headers)!, reader)
    assert.deepEqual([ids(second.body as Item[]), page.nextOf(second.headers)], [all.slice(3), undefined])
    const paged = await page.get(`/people/${id}/items?limit=1`, reader)
    assert.deepEqual(ids((await page.get(page.nextOf(paged.headers)!, reader)).body as Item[]), ['with ann'])
  })

  test('of other accounts are not found', async () => {
    const [{ id }] = (await page.people(reader, 'q=ann+mail')) as [ListedPerson]
    const other = await harness.newReader(reader.account.shard)
    const profile = await harness.newProfile(other, 'library', 'ada')
    await harness.put(profile, [contact('x', { name: 'Ann Lee', email: 'ann@mail.test' })])
    assert.equal((await page.people(other)).length, 1)
    for (const path of [`/people/${id}`, `/people/${id}/items`])
      assert.equal((await harness.request(path, other)).status, 404)
    assert.deepEqual(usersOf((await page.people(reader, 'q=ann+mail'))[0]!).length, 3)
  })
})
