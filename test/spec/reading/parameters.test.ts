import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const photo = (id: string, at: number, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const names = (items: Item[]) => items.map(({ data }) => data.id)

/** A person with one profile and these things. */
async function readerOf(things: Thing[]): Promise<{ reader: Reader; profile: Profile }> {
  const reader = await harness.newReader()
  const profile = await harness.newProfile(reader)
  await harness.put(profile, things)
  return { reader, profile }
}

/** Follows `Link: rel="next"` until there is none. */
async function readAll(reader: Reader, path: string): Promise<Item[][]> {
  const pages: Item[][] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers } = await harness.request(next, reader)
    pages.push(body as Item[])
    const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    next = link === undefined ? undefined : new URL(link).pathname + new URL(link).search
    assert.ok(pages.length < 1000)
  }
  return pages
}

suite('limit', () => {
  test('is 20 by default', async () => {
    const { reader } = await readerOf(Array.from({ length: 25 }, (_, i) => photo(`p${i}`, i)))
    assert.equal((await harness.items('/types/photos', reader)).length, 20)
    assert.equal((await harness.items('/services/library/things', reader)).length, 20)
  })

  test('may be 0, exact, more than there is, and a huge number', async () => {
    const { reader } = await readerOf(Array.from({ length: 25 }, (_, i) => photo(`p${i}`, i)))
    for (const [limit, count] of [
      ['0', 0],
      ['1', 1],
      ['25', 25],
      ['26', 25],
      ['007', 7],
      ['1000000', 25],
      ['9007199254740993', 25],
      ['99999999999999999999999', 25],
    ] as const)
      assert.equal((await harness.items(`/types/photos?limit=${limit}`, reader)).length, count, limit)
  })
})

suite('order', () => {
  test('newest first or oldest first; equal times are ordered by id, and one order is the reverse of the other', async () => {
    const { reader } = await readerOf([photo('b', 5), photo('a', 5), photo('c', 5), photo('old', 1), photo('new', 9)])
    const down = await harness.items('/types/photos', reader)
    assert.deepEqual([names(down)[0], names(down)[4]], ['new', 'old'])
    const ties = down.slice(1, 4).map(({ id }) => id)
    assert.deepEqual(ties, ties.toSorted().reverse())
    const up = await harness.items('/types/photos?sort=asc', reader)
    assert.deepEqual(up.toReversed(), down)
    assert.deepEqual(await harness.items('/types/photos?sort=desc', reader), down)
  })

  test('items without a time count from when they were first stored, and keep that when they change', async () => {
    const { reader, profile } = await readerOf([])
    const seen = Date.now() - 5000
    await harness.put(profile, [{ id: 'x', types: ['photos'], text: 'a' }], 'things', seen)
    await harness.put(profile, [{ id: 'x', types: ['photos'], text: 'b' }])
    const [item] = await harness.items('/types/photos', reader)
    assert.equal(item?.at, seen)
    assert.ok(item.updated > seen)
  })
})

suite('since and until', () => {
  let reader: Reader
  before(async () => {
    ;({ reader } = await readerOf([
      photo('ancient', -5),
      photo('first', 0),
      photo('a', 1000),
      photo('b', 2000),
      photo('c', 3000),
      photo('tomorrow', Date.now() + 86_400_000),
    ]))
  })

  for (const [query, expected] of [
    ['', ['c', 'b', 'a', 'first']],
    ['since=1000', ['c', 'b', 'a']],
    ['since=1001', ['c', 'b']],
    ['until=2000', ['b', 'a', 'first']],
    ['until=1999', ['a', 'first']],
    ['since=1000&until=2000', ['b', 'a']],
    ['since=2000&until=2000', ['b']],
    ['since=2001&until=2000', []],
    ['since=-5&until=0', ['first', 'ancient']],
    ['until=-1', []],
    ['until=9007199254740991&limit=2', ['tomorrow', 'c']],
    ['since=2000&sort=asc', ['b', 'c']],
  ] as const)
    test(`?${query} gives ${expected.join(', ') || 'nothing'}`, async () =>
      assert.deepEqual(names(await harness.items(`/types/photos?${query}`, reader)), expected))
})

suite('pages', () => {
  // Many at the same time, so that every page ends among equals.
  const things = Array.from({ length: 57 }, (_, i) => photo(`p${i}`, Math.floor(i / 10) * 100))

  for (const sort of ['desc', 'asc'])
    for (const limit of [1, 7, 10, 56, 57])
      test(`${sort} by ${limit}: nothing repeated, nothing missed, and the last page has no next`, async () => {
        const { reader } = await readerOf(things)
        const pages = await readAll(reader, `/types/photos?sort=${sort}&limit=${limit}`)
        const whole = await harness.items(`/types/photos?sort=${sort}&limit=100`, reader)
        assert.equal(whole.length, 57)
        assert.deepEqual(pages.flat(), whole)
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit))
      })

  test('before accepts the id with and without its partition', async () => {
    const { reader } = await readerOf(things)
    const [first, second] = await harness.items('/types/photos?limit=2', reader)
    for (const id of [first!.id, first!.id.slice(0, 32)])
      assert.equal((await harness.items(`/types/photos?limit=1&before=${first!.at}_${id}`, reader))[0]?.id, second?.id)
  })

  test('a new item between two pages shifts nothing', async () => {
    const { reader, profile } = await readerOf(things)
    const { headers } = await harness.request('/types/photos?limit=10', reader)
    const link = new URL(/<([^>]+)>/.exec(headers.get('link')!)![1]!)
    const next = async () => names((await harness.request(link.pathname + link.search, reader)).body as Item[])
    const before = await next()
    await harness.put(profile, [photo('later', Date.now() - 1)])
    assert.deepEqual(await next(), before)
  })

  test('the next address keeps the query, is ours, and never contains the token', async () => {
    const { reader } = await readerOf(things)
    const { headers } = await harness.request(`/v0/types/photos?limit=3&fields=id&access_token=${reader.token}`, reader)
    const link = new URL(/<([^>]+)>; rel="next"/.exec(headers.get('link')!)![1]!)
    assert.equal(link.origin, harness.tributary.url)
    assert.equal(link.pathname, '/v0/types/photos')
    assert.equal(link.searchParams.get('fields'), 'id')
    assert.equal(link.searchParams.get('limit'), '3')
    assert.equal(link.searchParams.get('access_token'), null)
    assert.match(link.searchParams.get('before')!, /^\d+_[0-9a-f]{32}$/)
  })

  test('paging by until continues from the oldest time', async () => {
    const { reader } = await readerOf(things)
    const page = await harness.items('/types/photos?limit=15', reader)
    const next = await harness.items(`/types/photos?limit=100&until=${page.at(-1)!.at}`, reader)
    assert.ok(page.slice(-5).every(({ id }) => next.some((item) => item.id === id)))
  })

  test('filters never shorten a page while more items match', async () => {
    const { reader } = await readerOf(
      Array.from({ length: 400 }, (_, i) => photo(`p${i}`, i, { title: i % 40 === 0 ? 'wanted' : 'other' })),
    )
    const pages = await readAll(reader, '/types/photos?q=wanted&limit=4')
    assert.deepEqual(
      pages.map((page) => page.length),
      [4, 4, 2],
    )
  })
})

suite('invalid parameters', () => {
  let reader: Reader
  before(async () => {
    ;({ reader } = await readerOf([photo('a', 1)]))
  })
  const long = 'x'.repeat(513)
  const deep = Array.from({ length: 17 }, () => 'a').join('.')

  for (const [parameter, values] of Object.entries({
    limit: ['abc', '-1', '1.5', '1e3', '', ' 5', '0x10', '٣'],
    since: ['x', '', '1.5', '1e3', 'now', '99999999999999999', '9007199254740993'],
    until: ['x', '', '2026-01-01', '99999999999999999'],
    before: [
      'x',
      '5',
      '5_',
      '5_xyz',
      '_00000000000000000000000000000000',
      `5_${'0'.repeat(31)}`,
      `5_${'G'.repeat(32)}`,
    ],
    sort: ['up', '', 'DESC', 'asc,desc'],
    participants: ['', ',', 'a,', '>0', '>17', '>x', '>', '^', '>1.5', '>-1', '%00', 'x'.repeat(501)],
    near: ['here', '', '1', '1,', '1,2,3', '91,0', '-90.1,0', '0,181', '0,-180.5', 'NaN,0', '1e1,0', 'a,b'],
    within: ['x', '', '-1', '1e3', 'NaN', 'Infinity'],
    map: ['maybe', '', 'TRUE', '2'],
    dedup: ['maybe', ''],
    fields: ['', ',', 'a,', '.', 'a..b', '.a', 'a.', long, deep, Array.from({ length: 65 }, () => 'a').join(',')],
    select: ['', 'a..b', long, deep],
    services: ['', ',', 'nothing', 'x@nothing', '%25E0%25A4@library'],
    q: ['%00', 'x'.repeat(1001)],
  }))
    for (const value of values)
      test(`${parameter}=${value.slice(0, 20)} is a 400 that names it`, async () => {
        const { status, body } = await harness.request(`/types/photos?${parameter}=${value}`, reader)
        const { error, reason } = body as { error: string; reason: string }
        assert.deepEqual([status, reason], [400, 'bad_parameter'], error)
        assert.ok(error.startsWith(`${parameter}: `), error)
      })

  test('a repeated parameter is a 400', async () => {
    for (const name of ['limit', 'q', 'since', 'fields', 'near']) {
      const { status, body } = await harness.request(`/types/photos?${name}=1&${name}=2`, reader)
      assert.equal(status, 400)
      assert.match((body as { error: string }).error, new RegExp(`^${name}: was given more than once`))
    }
  })

  const UNKNOWN: [query: string, param: string, sentence: string][] = [
    ['limt=5', 'limt', 'Unknown parameter “limt”. Did you mean “limit”?'],
    ['Limit=5', 'Limit', 'Unknown parameter “Limit”. Did you mean “limit”?'],
    ['limit=1&particpants=self', 'particpants', 'Unknown parameter “particpants”. Did you mean “participants”?'],
    ['limit%5B%5D=x', 'limit[]', 'Unknown parameter “limit[]”. Did you mean “limit”?'],
    ['accesstoken=x', 'accesstoken', 'Unknown parameter “accesstoken”. Did you mean “access_token”?'],
    ['constructor=3', 'constructor', 'Unknown parameter “constructor”. This address takes limit, since, '],
    ['__proto__=3', '__proto__', 'Unknown parameter “__proto__”. This address takes '],
    ['%00=3', '\0', 'Unknown parameter “\0”. This address takes '],
    [`${'x'.repeat(5000)}=1`, 'x'.repeat(60), `Unknown parameter “${'x'.repeat(60)}”. This address takes `],
  ]
  for (const [query, param, sentence] of UNKNOWN)
    test(`an unknown parameter is refused with the nearest known name: ${query.slice(0, 40)}`, async () => {
      const { status, body } = await harness.request(`/types/photos?${query}`, reader)
      const refusal = body as { error: string; reason: string; param: string }
      assert.deepEqual([status, refusal.reason, refusal.param], [400, 'parameter_unknown', param])
      assert.ok(refusal.error.startsWith(sentence), refusal.error)
    })

  test('common parameters that a path ignores are not refused', async () => {
    const common = 'limit=x&q=&participants=%3E99&near=here&within=far&map=perhaps&fields=..'
    for (const path of ['/profile?since=y&until=&', '/profiles?since=y&until=&', '/types?'])
      assert.equal((await harness.request(`${path}${common}`, reader)).status, 200, path)
  })

  test('an empty parameter is refused', async () => {
    for (const name of [
      'limit',
      'since',
      'until',
      'before',
      'sort',
      'participants',
      'near',
      'within',
      'services',
      'map',
      'fields',
      'select',
      'dedup',
    ]) {
      const { status, body } = await harness.request(`/types/photos?${name}=`, reader)
      assert.deepEqual([status, (body as { error: string }).error], [400, `${name}: is empty.`])
    }
    assert.equal((await harness.request('/types?rich=', reader)).status, 400)
  })

  test('fields and select exclude each other', async () => {
    const [item] = await harness.items('/types/photos', reader)
    for (const path of ['/types/photos', '/services/library/things', `/id/${item!.id}`]) {
      const { status, body } = await harness.request(`${path}?fields=at&select=at`, reader)
      const { error, param } = body as { error: string; param: string }
      assert.deepEqual([status, param, error], [400, 'select', 'select: cannot be given together with fields.'])
    }
  })

  test('the bounds themselves are valid', async () => {
    const fields = Array.from({ length: 64 }, (_, i) => `f${i}`).join(',')
    const path = `${Array.from({ length: 16 }, () => 'a').join('.')},${'x'.repeat(512)}`
    assert.equal(Object.keys((await harness.items(`/types/photos?fields=${fields}`, reader))[0]!).length, 64)
    assert.equal((await harness.items(`/types/photos?fields=${path}`, reader)).length, 1)
    assert.equal((await harness.items('/types/photos?participants=%3E16', reader)).length, 0)
    assert.equal((await harness.items('/types/photos?near=-90,180&within=0', reader)).length, 0)
  })

  test('single items and counts report theirs too', async () => {
    for (const path of [
      '/types?rich=x',
      '/services/library?rich=x',
      '/services/library/things/a?map=x',
      '/id/x?fields=',
    ])
      assert.equal((await harness.request(path, reader)).status, 400, path)
  })
})

suite('too large a query', () => {
  const many = (count: number, rule: string) => Array.from({ length: count }, () => rule).join(',')

  test('is refused with 400: more than 16 rules about participants', async () => {
    const { reader } = await readerOf([photo('p', 1)])
    assert.equal((await harness.request(`/types/photos?participants=${many(16, '>1')}`, reader)).status, 200)
    for (const rule of ['>1', '^a', 'a', 'self']) {
      const { status, body } = await harness.request(`/types/photos?participants=${many(17, rule)}`, reader)
      assert.deepEqual([status, (body as { reason: string }).reason], [400, 'bad_parameter'], rule)
    }
  })
})
