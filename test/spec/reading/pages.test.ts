import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { holdStatements, watchStatements } from '../../harness/database/statements.ts'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

/** So large that a page of a hundred is streamed. */
const FILLING = 'x'.repeat(10_000)
const ITEMS = 600
let harness: ReadingHarness
let reader: Reader

const photo = (n: number, more: Partial<Thing> = {}): Thing => ({
  id: `n${n}`,
  at: n * 1000,
  types: ['photos'],
  title: n % 2 === 0 ? 'even' : 'odd',
  lat: n % 2,
  lng: 0,
  filling: FILLING,
  ...more,
})

before(async () => {
  harness = await startReadingHarness()
  ;({ reader } = await makeReader())
})
after(() => harness.stop())

/** Every third item of the second profile is a copy of one in the first. */
async function makeReader() {
  const owner = await harness.newReader()
  const [first, second] = [await harness.newProfile(owner, 'library'), await harness.newProfile(owner, 'museum')]
  const numbers = Array.from({ length: ITEMS }, (_, n) => n + 1)
  const inFirst = numbers.filter((n) => n % 3 !== 0)
  for (let n = 0; n < inFirst.length; n += 100)
    await harness.put(
      first,
      inFirst.slice(n, n + 100).map((each) => photo(each, { guid: [`g${each}`] })),
    )
  await harness.put(
    second,
    numbers.filter((n) => n % 3 === 0).map((n) => photo(n, { guid: [`g${n - 1}`] })),
  )
  return { reader: owner, library: first, museum: second }
}

const nextOf = (headers: Headers | IncomingMessage['headers']) => {
  const link = headers instanceof Headers ? headers.get('link') : [headers['link']].flat().join(',')
  return /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1]
}
const pathOf = (address: string) => new URL(address).pathname + new URL(address).search
const times = (items: Item[]) => items.map(({ at }) => at / 1000)

/** The headers of a response whose body is not read yet. */
async function openResponse(path: string, { token } = reader): Promise<IncomingMessage> {
  const request = httpRequest(harness.tributary.url + path, { headers: { authorization: `Bearer ${token}` } })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function itemsOf(response: IncomingMessage): Promise<Item[]> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString()) as Item[]
}

suite('the next page', () => {
  const WAYS = ['', '&q=odd', '&dedup=true', '&dedup=true&q=even&sort=asc', '&participants=^self&near=0,0', '&sort=asc']
  for (const way of WAYS)
    test(`is named before the first byte, also of a streamed response: limit=${way}`, async () => {
      const whole = await harness.items(`/types/photos?limit=100000${way}`, reader)
      for (const limit of [1, 150, whole.length - 1, whole.length, whole.length + 1].filter((each) => each > 0)) {
        const { headers, body } = await harness.request(`/types/photos?limit=${limit}${way}`, reader)
        const next = nextOf(headers)
        assert.equal(next !== undefined, limit < whole.length, `limit ${limit} of ${whole.length}`)
        assert.deepEqual(times(body as Item[]), times(whole.slice(0, limit)))
        if (next === undefined) continue
        const [first] = await harness.items(pathOf(next), reader)
        assert.equal(first?.id, whole[limit]!.id)
      }
    })

  test('is found without reading documents, and a small page needs no second statement', async () => {
    const texts: string[] = []
    const stop = watchStatements(harness.tributary.store.database, ({ text }) => {
      if (text.includes('from item i')) texts.push(text)
      return undefined
    })
    await harness.items('/types/photos?limit=20', reader)
    assert.equal(texts.length, 1)
    await harness.items('/types/photos?limit=1000000', reader)
    stop()
    const ofKeys = texts.filter((text) => text.includes('row_number'))
    assert.equal(ofKeys.length, 1)
    assert.ok(!ofKeys[0]!.includes('i.data'))
  })

  test('of a caller with access_token in the query works as it is, and the token is not logged', async () => {
    for (const limit of [2, 200]) {
      const address = `${harness.tributary.url}/types/photos?access%5Ftoken=${reader.token}&limit=${limit}`
      const first = await fetch(address)
      assert.equal(first.headers.get('cache-control'), 'no-store')
      const last = ((await first.json()) as Item[]).at(-1)!
      const second = await fetch(nextOf(first.headers)!)
      assert.equal(second.status, 200)
      assert.equal(((await second.json()) as Item[])[0]!.at, last.at - 1000)
    }
    assert.ok(!harness.tributary.logged.some((line) => line.includes(reader.token)))
  })

  test('of a caller with a header contains no token, even if the query has it too', async () => {
    const { headers } = await harness.request(`/types/photos?limit=2&access_token=${reader.token}`, reader)
    assert.ok(!nextOf(headers)!.includes(reader.token))
    assert.equal((await harness.request(pathOf(nextOf(headers)!), reader)).status, 200)
  })
})

suite('a page that is streamed', () => {
  /** Opens a response whose later parts are not read from the database before `goOn` is called. */
  async function openHeld(path: string, own: Reader): Promise<{ response: IncomingMessage; goOn: () => void }> {
    // First the keys of the page are read, then its parts.
    let parts = 0
    const isLaterPart = ({ text }: { text: string }) => {
      if (text.includes('row_number')) parts = 1
      else if (parts > 0 && text.includes('i.data')) parts += 1
      return parts > 2
    }
    const goOn = holdStatements(harness.tributary.store.database, isLaterPart)
    return { response: await openResponse(path, own), goOn }
  }

  test('ends where its header says, whatever is added or removed meanwhile', async () => {
    const own = await makeReader()
    const { response, goOn } = await openHeld('/types/photos?limit=400', own.reader)
    const next = nextOf(response.headers)!
    const { database } = harness.tributary.store
    // Within the page, in the part that is not read yet, and after its end.
    await harness.put(own.library, [photo(210.5), photo(205.5), photo(150.5)])
    await database.script(
      `delete from item where profile_id = '${own.library.profileId}' and at in (220000, 221000, 100000)`,
    )
    goOn()
    const items = await itemsOf(response)
    const rest = await harness.items(pathOf(next).replace('limit=400', 'limit=1000'), own.reader)
    const now = await harness.items('/types/photos?limit=1000', own.reader)
    assert.equal(items[0]!.at, 600_000)
    assert.equal(items.at(-1)!.at, 201_000)
    assert.deepEqual(
      times([...items, ...rest]).filter((n) => n < 230),
      times(now).filter((n) => n < 230),
    )
  })

  test('whose last item is removed meanwhile skips nothing', async () => {
    const own = await makeReader()
    const { response, goOn } = await openHeld('/types/photos?limit=400', own.reader)
    const next = nextOf(response.headers)!
    await harness.tributary.store.database.script(
      `delete from item where profile_id in ('${own.museum.profileId}', '${own.library.profileId}') and at = 201000`,
    )
    goOn()
    assert.equal((await itemsOf(response)).at(-1)!.at, 202_000)
    assert.equal((await harness.items(pathOf(next), own.reader))[0]!.at, 200_000)
  })

  test('compares what is added meanwhile, too', async () => {
    const own = await makeReader()
    const { response, goOn } = await openHeld('/types/photos?limit=300&dedup=true', own.reader)
    await harness.put(own.museum, [photo(230.5, { guid: ['g1'] }), photo(231.5, { guid: ['new'] })])
    goOn()
    const found = times(await itemsOf(response))
    assert.deepEqual([found.includes(230.5), found.includes(231.5)], [false, true])
  })

  test('is the same after a merge, with the items of both profiles once', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const [old, kept] = [await harness.newProfile(source), await harness.newProfile(dest)]
    const many = Array.from({ length: 150 }, (_, n) => photo(n + 1, { guid: [`g${n % 100}`] }))
    await harness.put(old, many)
    await harness.put(kept, many.slice(50))
    await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
    for (const [way, expected] of [
      ['', 150],
      ['&dedup=true', 100],
    ] as const) {
      const found: number[] = []
      for (let path: string | undefined = `/types/photos?limit=70&count=true${way}`; path !== undefined; ) {
        const { headers, body } = await harness.request(path, dest)
        assert.equal(headers.get('x-total-count'), String(expected))
        found.push(...times(body as Item[]))
        const next = nextOf(headers)
        path = next && pathOf(next)
      }
      assert.equal(found.length, expected)
      assert.equal(new Set(found).size, expected)
    }
  })
})

suite('count', () => {
  const count = async (path: string) => {
    const { status, headers, body } = await harness.request(path, reader)
    assert.equal(status, 200)
    return [Number(headers.get('x-total-count') ?? Number.NaN), (body as Item[]).length]
  }

  test('is the number of items on all pages', async () => {
    assert.deepEqual(await count('/types/photos?count=true&limit=3'), [ITEMS, 3])
    assert.deepEqual(await count('/types/photos?count=true&limit=0'), [ITEMS, 0])
    assert.deepEqual(await count('/types/photos?count=true&limit=0&dedup=true'), [(ITEMS * 2) / 3, 0])
    assert.deepEqual(await count('/types/photos?count=true&limit=2&q=odd&dedup=true'), [ITEMS / 2, 2])
    assert.deepEqual(await count(`/types/photos?count=true&limit=2&before=5000_${'0'.repeat(32)}`), [ITEMS, 2])
    assert.deepEqual(await count('/types/photos?count=true&since=1000&until=7000'), [7, 7])
    assert.deepEqual(await count('/types/photos?count=true&limit=400&services=museum'), [ITEMS / 3, ITEMS / 3])
    assert.deepEqual(await count('/services/museum/things?count=true&limit=5'), [ITEMS / 3, 5])
    assert.deepEqual(await count('/types/photos?count=true&q=-'), [0, 0])
    assert.deepEqual(await count('/types/tracks?count=yes'), [0, 0])
    assert.deepEqual(await count('/types/photos?count=true&near=0,0&limit=4'), [ITEMS / 2, 4])
    assert.deepEqual(await count('/types/photos?count=true&near=50,50&dedup=true'), [0, 0])
  })

  test('is absent unless it is asked for, and readable by scripts of other origins', async () => {
    const { headers } = await harness.request('/types/photos?limit=1', reader)
    assert.equal(headers.get('x-total-count'), null)
    assert.match(headers.get('access-control-expose-headers')!, /\bX-Total-Count\b/)
    const refused = await harness.request('/types/photos?count=many', reader)
    assert.equal(refused.status, 400)
    assert.match(refused.headers.get('access-control-expose-headers')!, /\bX-Request-Id, WWW-Authenticate\b/)
  })

  test('is refused with a revoked token', async () => {
    const other = await harness.newReader()
    await harness.put(await harness.newProfile(other), [photo(1)])
    assert.equal((await harness.request('/types/photos?count=true&limit=0', other)).headers.get('x-total-count'), '1')
    await harness.request('/profiles', other, { method: 'DELETE' })
    const { status, headers } = await harness.request('/types/photos?count=true&limit=0', other)
    assert.deepEqual([status, headers.get('x-total-count')], [401, null])
  })

  test('of own items', async () => {
    const other = await harness.newReader()
    await harness.request('/services/self/notes', other, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ id: 1 }, { id: 2 }, { id: 3 }]),
    })
    const { headers } = await harness.request('/services/self/notes?limit=1&count=true', other)
    assert.deepEqual([headers.get('x-total-count'), nextOf(headers) !== undefined], ['3', true])
  })
})

test('a slow reader of a long page with copies loses nothing', async () => {
  const response = await openResponse('/types/photos?limit=350&dedup=true')
  assert.ok(nextOf(response.headers) !== undefined)
  const expected = (await harness.items('/types/photos?limit=100000&dedup=true', reader)).slice(0, 350)
  // Other requests are answered while this one waits.
  for (let i = 0; i < 20; i += 1) await harness.items('/types/photos?limit=5&dedup=true', reader)
  assert.deepEqual(times(await itemsOf(response)), times(expected))
})

test('where more items than a page share a time, Link sees all of them, and no page has more than limit', async () => {
  const reader = await harness.newReader()
  const tied = Array.from({ length: 45 }, (_, i) => ({ id: `tie${i}`, at: 5000, types: ['photos' as const] }))
  const older = Array.from({ length: 15 }, (_, i) => ({ id: `old${i}`, at: i, types: ['photos' as const] }))
  await harness.put(await harness.newProfile(reader), [...tied, ...older])
  const seen: string[] = []
  let path: string | undefined = '/types/photos?limit=20'
  for (; path !== undefined; ) {
    const { body, headers } = await harness.request(path, reader)
    const page = body as { id: string }[]
    assert.ok(page.length <= 20)
    seen.push(...page.map(({ id }) => id))
    const next: string | undefined = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
    path = next === undefined ? undefined : new URL(next).pathname + new URL(next).search
  }
  assert.deepEqual([seen.length, new Set(seen).size], [60, 60])
  assert.equal((await harness.items('/types/photos?limit=20&until=5000', reader)).length, 20)
})
