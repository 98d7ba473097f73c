import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { statement } from '#platform/postgres/database.ts'
import { notOnCluster } from '../../../harness/database/cluster.ts'
import { watchStatements } from '../../../harness/database/statements.ts'
import { type Item, type ReadingHarness, startReadingHarness } from '../fixture.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const names = (items: Item[]) => items.map(({ data }) => data.id)

const plansOf = statement(
  'r-plans-of',
  'select generic_plans as generic, custom_plans as custom from pg_prepared_statements where name = $name',
)

/** The statements on items that a request runs, in order. */
async function statementsOf(work: () => Promise<unknown>): Promise<{ text: string; values: readonly unknown[] }[]> {
  const run: { text: string; values: readonly unknown[] }[] = []
  const stop = watchStatements(harness.tributary.store.database, ({ name, text }, values) => {
    // Those of a request are composed; maintenance counts items with statements that have a name.
    if (/^(auto-.*)?$/.test(name) && text.includes('from item')) run.push({ text, values })
    return undefined
  })
  await work().finally(stop)
  return run
}

suite('dedup', () => {
  const skip = notOnCluster('a coordinator plans a statement of one shard anew each time')
  test('its statements are planned once for a connection, not at each request', { skip }, async () => {
    const reader = await harness.newReader()
    for (const service of ['library', 'museum'] as const) {
      const things = Array.from({ length: 200 }, (_, n) => ({
        id: `${service} ${n}`,
        at: 1_700_000_000_000 + n * 60_000,
        types: ['photos' as const],
        guid: [`https://things.test/${service}/${n}`],
        text: `What the ${service} says about the thing of number ${n}`,
      }))
      await harness.put(await harness.newProfile(reader, service), things)
    }
    const { database } = harness.tributary.store
    await database.script('analyze item')
    const run = await statementsOf(() => harness.items('/types/photos?dedup=true', reader))
    assert.equal(run.length, 2)
    for (const [n, { text, values }] of run.entries()) {
      const name = `r-of-dedup-${n}`
      const [plans] = await database.transaction(async (tx) => {
        for (let i = 0; i < 12; i += 1) await tx.rows({ name, text }, values)
        return tx.rows(plansOf.with({ name }))
      })
      assert.deepEqual(plans, { generic: 7, custom: 5 }, text)
    }
  })

  test('its second statement returns only what may be an original or a copy', async () => {
    const reader = await harness.newReader()
    const [library, museum] = [await harness.newProfile(reader, 'library'), await harness.newProfile(reader, 'museum')]
    const picture = (id: string, at: number, file: string) => ({
      id,
      at,
      types: ['photos' as const],
      guid: [`file:pictures.test/${file}.jpg`],
    })
    const candidates = async () => {
      const [, second] = await statementsOf(() => harness.items('/types/photos?dedup=true', reader))
      const { text, values } = second!
      return harness.tributary.store.database.rows<{ dedupe_key: string; at: number }>({ name: '', text }, values)
    }
    await harness.put(library, [picture('alone', 10, 'one'), picture('alone too', 20, 'two')])
    assert.deepEqual(await candidates(), [])
    await harness.put(museum, [picture('earlier', 15, 'two')])
    assert.deepEqual(
      (await candidates()).map(({ dedupe_key: key, at }) => [key, at]),
      [15, 20].map((at) => ['file:pictures.test/two.jpg', at]),
    )
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true', reader)), ['earlier', 'alone'])
  })

  test('keeps the earliest of the items that share a dedupe key, across profiles', async () => {
    const reader = await harness.newReader()
    const library = await harness.newProfile(reader, 'library')
    const museum = await harness.newProfile(reader, 'museum')
    await harness.put(library, [
      { id: 'original', at: 10, types: ['photos'], guid: ['g1'], title: 'sea' },
      { id: 'alone', at: 40, types: ['photos'] },
      { id: 'alone too', at: 41, types: ['photos'] },
      { id: 'of itself', at: 50, types: ['photos'], guid: ['g3'] },
      { id: 'chained', at: 60, types: ['photos'], guid: ['g2', 'g4'] },
    ])
    await harness.put(museum, [
      { id: 'copy', at: 20, types: ['photos'], guid: ['g1', 'g2'], title: 'sea' },
      { id: 'later copy', at: 30, types: ['photos'], guid: ['g1'], title: 'sea sea' },
    ])
    const all = ['chained', 'of itself', 'alone too', 'alone', 'later copy', 'copy', 'original']
    assert.deepEqual(names(await harness.items('/types/photos', reader)), all)
    assert.deepEqual(names(await harness.items('/types/photos?dedup=false', reader)), all)
    const kept = ['of itself', 'alone too', 'alone', 'original']
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true', reader)), kept)
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&sort=asc', reader)), kept.toReversed())
    // Pages neither repeat items nor come out short.
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&limit=4', reader)), kept)
    const { headers } = await harness.request('/types/photos?dedup=true&limit=3', reader)
    const next = new URL(/<([^>]+)>/.exec(headers.get('link')!)![1]!)
    assert.deepEqual(names(await harness.items(next.pathname + next.search, reader)), ['original'])
    // Only an item that matches the query can be an original.
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&services=museum', reader)), ['copy'])
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&since=25&until=35', reader)), ['later copy'])
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&q=sea', reader)), ['original'])
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&q=%22sea%20sea%22', reader)), ['later copy'])
  })

  test('equal texts count only by one person and within a day', async () => {
    const reader = await harness.newReader()
    const library = await harness.newProfile(reader, 'library')
    const museum = await harness.newProfile(reader, 'museum')
    const second = await harness.newProfile(reader, 'library', 'ben')
    const [at, day] = [1_700_000_000_000, 24 * 60 * 60_000]
    const status = (id: string, after: number, text: string, more = {}) => ({
      id,
      at: at + after,
      types: ['statuses' as const],
      text,
      ...more,
    })
    await harness.put(library, [
      status('morning', 0, 'Good morning'),
      status('morning, next year', 365 * 86_400_000, 'Good morning'),
      status('noon', 0, 'Noon'),
      status('empty', 0, ' '),
      status('night', 0, 'Good night'),
    ])
    await harness.put(second, [status('morning of another user', 1000, 'Good morning')])
    await harness.put(museum, [
      status('at the end of the window', day, ' Good  morning\n'),
      status('after the window', day + 1, 'Noon'),
      status('empty too', 1, ''),
      status('other words', 1, 'good Night'),
      status('a contact', 1, 'Good night', { types: ['statuses', 'contacts'] }),
      status('a friend', 2, 'Good night', { author: 'eve' }),
      status('the friend again', 3, 'Good night', { author: 'eve' }),
      status('another friend', 4, 'Good night', { author: 'cy' }),
    ])
    const found = names(await harness.items('/types/statuses?dedup=true&sort=asc', reader))
    assert.deepEqual(found.toSorted(), [
      'a contact',
      'a friend',
      'after the window',
      'another friend',
      'empty',
      'empty too',
      'morning',
      'morning, next year',
      'night',
      'noon',
      'other words',
    ])
    // The order of reading does not matter, nor does the page.
    assert.deepEqual(names(await harness.items('/types/statuses?dedup=true', reader)), found.toReversed())
    // An item that the query does not find does not make another one a copy.
    const since = names(await harness.items(`/types/statuses?dedup=true&since=${at + 1001}`, reader))
    assert.ok(since.includes('at the end of the window'))
    const ofMuseum = names(await harness.items('/types/statuses?dedup=true&services=museum', reader))
    assert.equal(ofMuseum.length, 7)
  })

  test('keys that an earlier release stored: links and ids count, hashes of texts do not', async () => {
    const reader = await harness.newReader()
    const library = await harness.newProfile(reader, 'library')
    const museum = await harness.newProfile(reader, 'museum')
    const photo = (id: string, at: number) => ({ id, at, types: ['photos' as const] })
    await harness.put(library, [photo('a', 1), photo('b', 2), photo('c', 3)])
    await harness.put(museum, [photo('a too', 11), photo('b too', 12), photo('c too', 13)])
    const hash = '0123456789abcdef0123456789abcdef'
    const stored = { a: 'guid:instagram/#Cabc', b: `caption:instagram/#${hash}`, c: `guid:mira@twitter/#${hash}` }
    const { database } = harness.tributary.store
    for (const [name, dedupeKey] of Object.entries(stored))
      await database.script(`update item set guid = '{${dedupeKey}}' where native_id in ('${name}', '${name} too')`)
    // A key that was stored before keys were bounded.
    await database.script(`update item set guid = array[repeat('x', 100000)] || guid where native_id = 'b'`)
    const found = names(await harness.items('/types/photos?dedup=true', reader))
    assert.deepEqual(found, ['c too', 'b too', 'c', 'b', 'a'])
  })

  test('keeps one of many copies', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.put(
      profile,
      Array.from({ length: 300 }, (_, i) => ({ id: `c${i}`, at: 1000 - i, types: ['photos'], guid: ['same'] })),
    )
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true&limit=5', reader)), ['c299'])
  })
})

suite('services', () => {
  test('restricts types to some profiles', async () => {
    const reader = await harness.newReader()
    const put = async (service: 'library' | 'museum', owner: string) =>
      harness.put(await harness.newProfile(reader, service, owner), [
        { id: `${owner}@${service}`, at: 1, types: ['photos'] },
      ])
    await put('library', 'ada')
    await put('library', 'b@b')
    await put('museum', 'ada')
    const read = async (services: string) =>
      names(await harness.items(`/types/photos?services=${encodeURIComponent(services)}`, reader)).toSorted()
    assert.deepEqual(await read('library'), ['ada@library', 'b@b@library'])
    assert.deepEqual(await read('museum'), ['ada@museum'])
    assert.deepEqual(await read('library,museum'), ['ada@library', 'ada@museum', 'b@b@library'])
    assert.deepEqual(await read('ada@library'), ['ada@library'])
    assert.deepEqual(await read('b%40b@library, ada@museum'), ['ada@museum', 'b@b@library'])
    assert.deepEqual(await read('museum-alias'), ['ada@museum'])
    assert.deepEqual(await read('nobody@library'), [])
    assert.deepEqual(await read('demo-social'), [])
    assert.deepEqual(await read('self'), [])
  })
})

suite('after a merge', () => {
  test('items of two profiles of one service user are read once, from the profile that still syncs', async () => {
    const [source, dest] = [await harness.newReader(), await harness.newReader()]
    const old = await harness.newProfile(source)
    const kept = await harness.newProfile(dest)
    await harness.put(old, [
      { id: 'both', at: 100, types: ['photos'], title: 'old words', guid: ['g'] },
      { id: 'only old', at: 50, types: ['photos'], author: 'bob' },
    ])
    await harness.put(kept, [
      { id: 'both', at: 200, types: ['photos'], title: 'new words', guid: ['g'] },
      { id: 'only new', at: 300, types: ['photos'] },
    ])
    const merged = await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
    assert.equal(merged.status, 200)
    const expected = ['only new', 'both', 'only old']
    assert.deepEqual(names(await harness.items('/types/photos', dest)), expected)
    assert.deepEqual(names(await harness.items('/services/library/things', dest)), expected)
    assert.deepEqual(names(await harness.items('/types/photos?sort=asc', dest)), expected.toReversed())
    // The stale copy appears nowhere: not in a search, not in a count, not as an original, not by its id.
    assert.deepEqual(names(await harness.items('/types/photos?q=old', dest)), [])
    assert.deepEqual(names(await harness.items('/types/photos?q=new', dest)), ['both'])
    assert.deepEqual(names(await harness.items('/types/photos?until=150', dest)), ['only old'])
    assert.deepEqual(names(await harness.items('/types/photos?dedup=true', dest)), expected)
    assert.deepEqual(names(await harness.items('/types/photos?participants=bob', dest)), ['only old'])
    assert.equal(((await harness.request('/types', dest)).body as { photos: number }).photos, 3)
    assert.equal(((await harness.request('/services/library', dest)).body as { things: number }).things, 3)
    const { body } = await harness.request('/services/library/things/both', dest)
    assert.equal((body as Item).at, 200)
    assert.equal(((await harness.request(`/id/${(body as Item).id}`, dest)).body as Item).at, 200)
    assert.equal((await harness.request('/services/library/things/only%20old', dest)).status, 200)
    assert.equal((await harness.request('/types/photos', source)).status, 401)
  })
})
