import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { globalId } from '#model/items/idr.ts'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const post = (reader: Reader, endpoint: string, body: unknown) =>
  harness.request(`/services/self/${endpoint}`, reader, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const names = (items: Item[]) => items.map(({ data }) => data.id)
const reason = (body: unknown) => (body as { reason: string }).reason

suite("an app's own items", () => {
  test('update the planner statistics while they are stored, so that later ones do not become slow', async () => {
    const { database } = harness.tributary.store
    const analyzed: string[] = []
    const stop = watchStatements(database, ({ name }) => {
      if (name === 'item-analyze') analyzed.push(name)
      return undefined
    })
    const estimate = async () => {
      const text = `select reltuples::int as items from pg_class where oid = 'item'::regclass`
      return (await harness.tributary.store.database.rows<{ items: number }>({ name: '', text }))[0]!.items
    }
    assert.ok((await estimate()) < 500)
    const reader = await harness.newReader()
    const some = (from: number) => Array.from({ length: 300 }, (_, i) => ({ id: `m${from + i}` }))
    await post(reader, 'many', some(0))
    assert.ok((await estimate()) < 500)
    await post(reader, 'many', some(300))
    // Where tables are divided, their numbers are unknown here, and each part has statistics of its own.
    if (await isSharded(database)) assert.ok((await estimate()) < 500)
    else assert.ok((await estimate()) >= 500)
    const another = await harness.newReader()
    await post(another, 'many', some(0))
    await post(another, 'many', some(300))
    stop()
    // Not again for the next profile of that size.
    assert.equal(analyzed.length, (await isSharded(database)) ? 0 : 1)
  })

  test('have the dedupe keys that the app gives them, separated by spaces', async () => {
    const reader = await harness.newReader()
    await post(reader, 'notes', [
      { id: 'first', at: 1000, type: 'photos', guid: 'g1' },
      { id: 'copy', at: 2000, type: 'photos', guid: 'g2 g1' },
      { id: 'copy of the copy', at: 3000, type: 'photos', guid: ['g3', 'g2'] },
      { id: 'other', at: 4000, type: 'photos', guid: 'g4 g5' },
      { id: 'same page', at: 5000, type: 'photos', guid: 'g6', url: 'https://page.test/1' },
      { id: 'same page again', at: 6000, type: 'photos', text: 'see http://www.page.test/1/' },
      { id: 'same words', at: 7000, type: 'photos', text: 'Good morning' },
      { id: 'same words again', at: 7001, type: 'photos', text: 'Good morning' },
    ])
    const found = await harness.items('/types/photos?dedup=true', reader)
    assert.deepEqual(names(found), ['same words again', 'same words', 'same page', 'other', 'first'])
    assert.equal(found.find(({ data }) => data.id === 'other')?.guid, 'g4 g5')
  })

  const BAD_GUIDS = ['a b c d e f', 'x'.repeat(201), { g: 1 }, [['g']], true]
  for (const guid of BAD_GUIDS)
    test(`with a wrong guid are refused by name: ${JSON.stringify(guid).slice(0, 20)}`, async () => {
      const { status, body } = await post(await harness.newReader(), 'notes', [{ id: 1, guid }])
      assert.equal(status, 400)
      assert.match((body as { error: string }).error, /^0\.guid: must be text: at most 5 dedupe keys/)
    })

  test('a contact with a name and a title is shown, searched and grouped by its name', async () => {
    const reader = await harness.newReader()
    const contact = { id: 'c1', type: 'contacts', name: 'Wanda Named', title: 'Doctor Titled', handle: 'wanda' }
    assert.equal((await post(reader, 'people', [contact])).status, 200)
    const [found] = await harness.items('/types/contacts?q=wanda', reader)
    assert.equal(found?.oembed?.title, 'Wanda Named')
    assert.deepEqual(await harness.items('/types/contacts?q=titled', reader), [])
    const { body } = await harness.request('/people', reader)
    assert.match(JSON.stringify(body), /"name":"Wanda Named"/)
  })

  test('have in `map` only the fields of their types, whatever the app gives', async () => {
    const reader = await harness.newReader()
    const given = { handle: 'wanda', email: 'w@page.test', phone: '1', text: 'Hi', sport: 'rowing' }
    const types = ['messages', 'contacts', undefined]
    assert.equal(
      (
        await post(
          reader,
          'all',
          types.map((type, id) => ({ ...given, id, type })),
        )
      ).status,
      200,
    )
    const maps = await harness.items('/services/self/all?map=true&sort=asc', reader)
    const given3 = ['nickname', 'email', 'sport']
    const has = maps.map(({ data, map }) => [data.id, given3.filter((field) => Object.hasOwn(map as object, field))])
    assert.deepEqual(
      new Map(has as [number, string[]][]),
      new Map([
        [0, []],
        [1, ['nickname', 'email']],
        [2, given3],
      ]),
    )
  })

  test('are stored, and read back by endpoint, type, id and search', async () => {
    const reader = await harness.newReader()
    const first = await post(reader, 'notes', [
      { id: 'n1', at: 1000, type: 'statuses', text: 'Hello wörld', extra: { deep: [1, null, 'x'] } },
      { id: 2, at: 2000, type: 'photo', title: 'Sea', description: 'Blue', lat: 38.7, lng: -9.1, guid: 'g' },
      { id: 'n3', at: 3000, note: 'no type' },
      { id: 'n4', at: 4000, label: 'whatever' },
    ])
    assert.deepEqual([first.status, first.body], [200, { added: 4, changed: 0, unchanged: 0 }])
    const path = '/services/self/notes'
    assert.deepEqual(names(await harness.items(path, reader)), ['n4', 'n3', 2, 'n1'])
    assert.deepEqual(names(await harness.items('/types/all', reader)), [2, 'n1'])
    assert.deepEqual(names(await harness.items('/types/photos?services=self', reader)), [2])
    assert.deepEqual(names(await harness.items('/types/statuses?q=world', reader)), ['n1'])
    assert.deepEqual(names(await harness.items('/types/photos?q=blue&near=38.7,-9.1', reader)), [2])
    assert.deepEqual(names(await harness.items('/types/all?participants=%5Eself', reader)), [2, 'n1'])
    const { body } = await harness.request(`${path}/n1`, reader)
    const { updated: _, guid, ...item } = body as Item
    assert.match(guid!, /^text:[0-9a-f]{20}$/)
    const idr = { type: 'data', owner: reader.account.id, service: 'self', endpoint: 'notes', item: 'n1' }
    assert.deepEqual(item, {
      id: globalId(idr),
      idr: `data:${reader.account.id}@self/notes#n1`,
      at: 1000,
      data: { id: 'n1', at: 1000, type: 'statuses', text: 'Hello wörld', extra: { deep: [1, null, 'x'] } },
      types: { status: true },
    })
    for (const id of [item.id, encodeURIComponent(item.idr)])
      assert.equal(((await harness.request(`/id/${id}?map=true`, reader)).body as Item).map?.['text'], 'Hello wörld')
    assert.equal((await harness.request(`${path}/2`, reader)).status, 200)
    assert.deepEqual((await harness.request('/services/self', reader)).body, { notes: 4 })
    assert.equal(((await harness.request('/types', reader)).body as { photos: number }).photos, 1)
  })

  test('do not appear as a profile', async () => {
    const reader = await harness.newReader()
    await post(reader, 'notes', [{ id: 'a' }])
    assert.deepEqual((await harness.request('/profiles', reader)).body, { id: reader.account.id })
    assert.equal((await harness.request('/profiles/self', reader)).status, 404)
    assert.equal((await harness.request('/profiles/self', reader, { method: 'DELETE' })).status, 404)
    assert.equal((await harness.request('/profiles/self/sync', reader, { method: 'POST' })).status, 404)
  })

  test('are replaced by id; unchanged ones are not written again', async () => {
    const reader = await harness.newReader()
    const items = [
      { id: 'a', at: 1, text: 'x', more: { p: 1, q: 2 } },
      { id: 'b', at: 2, text: 'y' },
    ]
    await post(reader, 'notes', items)
    const before = await harness.items('/services/self/notes', reader)
    assert.deepEqual((await post(reader, 'notes', items)).body, { added: 0, changed: 0, unchanged: 2 })
    // The same content with its keys in another order is the same.
    const turned = { text: 'x', more: { q: 2, p: 1 }, at: 1, id: 'a' }
    assert.deepEqual((await post(reader, 'notes', [turned])).body, { added: 0, changed: 0, unchanged: 1 })
    assert.deepEqual(await harness.items('/services/self/notes', reader), before)
    const changed = await post(reader, 'notes', [{ id: 'b', at: 5, text: 'z' }, { id: 'c' }])
    assert.deepEqual(changed.body, { added: 1, changed: 1, unchanged: 0 })
    assert.deepEqual(names(await harness.items('/services/self/notes?q=z', reader)), ['b'])
    assert.deepEqual(names(await harness.items('/services/self/notes?q=y', reader)), [])
  })

  test('without a time count from when they were stored; of two with one id the last is kept', async () => {
    const reader = await harness.newReader()
    const began = Date.now()
    await post(reader, 'notes', [
      { id: 'a', text: 'first' },
      { id: 'a', text: 'last' },
    ])
    const [item, ...rest] = await harness.items('/services/self/notes', reader)
    assert.ok(item!.at >= began && item!.at <= Date.now())
    assert.deepEqual([item!.data.text, rest], ['last', []])
  })

  test('the same id at another endpoint or in another account is another item', async () => {
    const [one, other] = [await harness.newReader(), await harness.newReader()]
    await post(one, 'notes', [{ id: 'a', at: 1 }])
    await post(one, 'tasks', [{ id: 'a', at: 1 }])
    await post(other, 'notes', [{ id: 'a', at: 1 }])
    const ids = await Promise.all(
      [
        ['/services/self/notes', one],
        ['/services/self/tasks', one],
        ['/services/self/notes', other],
      ].map(async ([path, reader]) => (await harness.items(path as string, reader as Reader))[0]!.id),
    )
    assert.equal(new Set(ids).size, 3)
    for (const id of ids.slice(0, 2)) assert.equal((await harness.request(`/id/${id}`, other)).status, 404)
  })

  test('concurrent first items create one profile', async () => {
    const reader = await harness.newReader()
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => post(reader, 'notes', [{ id: `n${i}` }, { id: 'same', i }])),
    )
    assert.deepEqual(
      responses.map(({ status }) => status),
      responses.map(() => 200),
    )
    assert.equal((await harness.items('/services/self/notes', reader)).length, 9)
  })

  test('move with a merge, and are deleted with the account', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    await post(source, 'notes', [{ id: 'from source', at: 1, type: 'statuses', text: 'moved' }])
    await post(dest, 'notes', [{ id: 'from dest', at: 2, type: 'statuses' }])
    const { id } = (await harness.items('/services/self/notes', source))[0]!
    await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
    assert.deepEqual(names(await harness.items('/services/self/notes', dest)), ['from dest', 'from source'])
    assert.deepEqual(names(await harness.items('/types/statuses?q=moved', dest)), ['from source'])
    assert.equal((await harness.request(`/id/${id}`, dest)).status, 200)
    const { database } = harness.tributary.store
    const left = async () => {
      const text = 'select count(*) as n from item where shard = $1'
      const counts = [source, dest].map(({ account }) =>
        database.rows<{ n: number }>({ name: '', text }, [account.shard]),
      )
      return (await Promise.all(counts)).reduce((sum, [row]) => sum + row!.n, 0)
    }
    assert.equal(await left(), 2)
    assert.equal((await harness.request('/profiles', dest, { method: 'DELETE' })).status, 200)
    assert.equal(await left(), 0)
  })

  test('an endpoint without items returns 404', async () => {
    const reader = await harness.newReader()
    assert.equal(reason((await harness.request('/services/self/notes', reader)).body), 'no_profile')
    await post(reader, 'notes', [{ id: 'a' }])
    assert.equal(reason((await harness.request('/services/self/tasks', reader)).body), 'not_found')
    assert.equal(reason((await harness.request('/services/self/notes/b', reader)).body), 'not_found')
    assert.deepEqual((await post(reader, 'notes', [])).body, { added: 0, changed: 0, unchanged: 0 })
  })
})

suite('own items that cannot be stored', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
  for (const [what, body, named] of [
    ['no array', { id: 'a' }, /the body/],
    ['no objects', ['a'], /^0: /],
    ['no id', [{ id: 'a' }, { at: 5 }], /^1\.id: is missing/],
    ['an empty id', [{ id: '' }], /^0\.id: /],
    ['an id that is too long', [{ id: 'x'.repeat(501) }], /^0\.id: /],
    ['an id with NUL', [{ id: 'a\0' }], /^0\.id: /],
    ['half an id', [{ id: 1.5 }], /^0\.id: /],
    ['an id that is nothing', [{ id: null }], /^0\.id: /],
    ['a time that is none', [{ id: 'a', at: '2026' }], /^0\.at: /],
    ['a time too far away', [{ id: 'a', at: 8.65e15 }], /^0\.at: /],
    ['a type that is none', [{ id: 'a', type: 5 }], /^0\.type: /],
    ['an unknown type', [{ id: 'a' }, { id: 'b', type: 'nope' }], /^1\.type: must be one of photos, /],
    ['a feed as the type', [{ id: 'a', type: 'photos_feed' }], /^0\.type: must be one of /],
    ['a latitude beyond a pole', [{ id: 'a' }, { id: 'b', lat: 100, lng: 1 }], /^1\.lat: /],
    ['a longitude beyond the circle', [{ id: 'a', lat: 1, lng: -180.5 }], /^0\.lng: /],
    ['a latitude without a longitude', [{ id: 'a', lat: 1 }], /^0\.lat: was given without lng/],
    ['a longitude without a latitude', [{ id: 'a', lng: 1 }], /^0\.lng: was given without lat/],
    ['a latitude as text', [{ id: 'a', lat: '1', lng: 2 }], /^0\.lat: /],
    ['a latitude beyond all numbers', '[{"id":"a","lat":1e400,"lng":2}]', /^0\.lat: /],
    ['a time with a fraction', [{ id: 'a', at: 1.5 }], /^0\.at: /],
    [
      'a number with digits that would be lost',
      '[{"id":"a"},{"id":"b","n":[12345678901234567890]}]',
      /^1 \(id "b"\): /,
    ],
    ['too deep', [{ id: 'a', x: nested(70) }], /^0 \(id "a"\): /],
    [
      'too many values',
      [{ id: 'a', x: Array.from({ length: 50_001 }, () => 0) }],
      /^0 \(id "a"\): has more than 50000 values/,
    ],
    ['too many', Array.from({ length: 1001 }, (_, i) => ({ id: i })), /at most 1000/],
    ['no JSON', '[{', /body/],
  ] as const)
    test(`${what}: a 400 that names it, and nothing is stored`, async () => {
      const reader = await harness.newReader()
      const { status, body: response } = await post(reader, 'notes', body)
      assert.deepEqual([status, reason(response)], [400, 'bad_body'])
      assert.match((response as { error: string }).error, named)
      assert.equal(reason((await harness.request('/services/self', reader)).body), 'no_profile')
    })

  test('an invalid endpoint name is refused', async () => {
    const reader = await harness.newReader()
    for (const name of ['Notes', '1', 'a%20b', 'x'.repeat(51), '%00'])
      assert.equal((await post(reader, name, [{ id: 'a' }])).status, 400, name)
  })

  test('a thousand at once are accepted; services of others accept none', async () => {
    const reader = await harness.newReader()
    const items = Array.from({ length: 1000 }, (_, i) => ({ id: i, at: i }))
    assert.deepEqual((await post(reader, 'notes', items)).body, { added: 1000, changed: 0, unchanged: 0 })
    const response = await harness.request('/services/library/things', reader, { method: 'POST' })
    assert.equal(response.status, 405)
    assert.equal((await harness.request('/services/self/notes', { token: 'x' }, { method: 'POST' })).status, 401)
  })
})
