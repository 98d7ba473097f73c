import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import { systemClock } from '#platform/clock.ts'
import { quiet } from '../../../store/opened.ts'
import { type ChangesHarness, startChangesHarness } from '../changes/changes-fixture.ts'
import library from '../connectors/library.ts'
import museum from '../connectors/museum.ts'
import type { Item, Reader } from '../fixture.ts'

let harness: ChangesHarness
before(async () => {
  harness = await startChangesHarness()
})
after(() => harness.stop())

const AT = 1_700_000_000_000
const HOUR_MS = 3_600_000
const status = (id: string, hours: number, text: string, more = {}) => ({
  id,
  at: AT + hours * HOUR_MS,
  types: ['statuses' as const],
  text,
  ...more,
})
const names = (items: Item[]) => items.map(({ data }) => data.id)
const originals = (items: Item[]) => {
  const known = new Map(items.map(({ id, data }) => [id, data.id]))
  return Object.fromEntries(
    items.flatMap(({ data, copy_of: of }) => (of === undefined ? [] : [[data.id, known.get(of)]])),
  )
}
const kept = async (reader: Reader) => names(await harness.items('/types/statuses?dedup=true&sort=asc', reader))
const copies = async (reader: Reader) => originals(await harness.items('/types/statuses?copy_of=true', reader))

/** A post, its cross-post, and the cross-post of that one after more than a day. */
async function crossPosted(shards: [number, number]): Promise<{ reader: Reader; other: Reader }> {
  const [reader, other] = [await harness.newReader(shards[0]), await harness.newReader(shards[1])]
  const here = await harness.newProfile(reader, 'library', 'ada')
  const there = await harness.newProfile(other, 'museum', 'mira')
  await harness.write(here, [status('first', 0, 'We moved'), status('third', 30, 'We moved')])
  await harness.write(there, [status('second', 20, 'We moved')])
  return { reader, other }
}

suite('copies over time', () => {
  for (const shards of [
    [3, 3],
    [3, 9],
  ] as [number, number][])
    test(`a merge brings copies together (shards ${shards.join(' and ')})`, async () => {
      const { reader, other } = await crossPosted(shards)
      assert.deepEqual([await kept(reader), await kept(other)], [['first', 'third'], ['second']])
      await harness.merge(other, reader)
      assert.deepEqual(await kept(reader), ['first'])
      assert.deepEqual(await copies(reader), { second: 'first', third: 'second' })
      // The window of the query decides what can be an original.
      const since = `/types/statuses?dedup=true&since=${AT + HOUR_MS}`
      assert.deepEqual(names(await harness.items(since, reader)), ['second'])
      const until = `/types/statuses?copy_of=true&until=${AT + 20 * HOUR_MS}&limit=1`
      const [second] = await harness.items(until, reader)
      const { body } = await harness.request(`/id/${second!.copy_of}`, reader)
      assert.deepEqual([second!.data.id, (body as Item).data.id], ['second', 'first'])
    })

  test('the copy is shown when its original is deleted, and hidden when an original comes later', async () => {
    const reader = await harness.newReader()
    const [here, there] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    await harness.write(there, [status('copy', 2, 'Hello')])
    assert.deepEqual(await kept(reader), ['copy'])
    await harness.write(here, [status('original', 1, 'Hello')])
    assert.deepEqual(await kept(reader), ['original'])
    await harness.drop(here, ['original'])
    assert.deepEqual(await kept(reader), ['copy'])
    // The original is edited, so it says something else.
    await harness.write(here, [status('original', 1, 'Hello')])
    await harness.write(here, [status('original', 1, 'Hello again')])
    assert.deepEqual(await kept(reader), ['original', 'copy'])
  })

  test('`/changes` has copies like other items', async () => {
    const { reader, other } = await crossPosted([5, 5])
    await harness.merge(other, reader)
    const { changes } = await harness.page(reader, 'limit=100')
    const upserts = changes.flatMap((entry) => (entry.change === 'upsert' ? [entry.item] : []))
    assert.deepEqual(names(upserts).toSorted(), ['first', 'second', 'third'])
    assert.ok(upserts.every(({ copy_of: of }) => of === undefined))
  })

  test('`fields`, `select` and streamed responses name the original', async () => {
    const reader = await harness.newReader()
    const [here, there] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const filling = 'x'.repeat(20_000)
    const many = (more: object) =>
      Array.from({ length: 60 }, (_, n) => status(`${n}`, n * 30, `Day ${n}`, { filling, ...more }))
    await harness.write(here, many({}))
    await harness.write(
      there,
      many({ place: 'museum' }).map((each) => ({ ...each, at: each.at + 1 })),
    )
    const whole = await harness.items('/types/statuses?limit=1000&copy_of=true', reader)
    assert.deepEqual([whole.length, Object.keys(originals(whole)).length], [120, 60])
    const path = '/types/statuses?limit=1000&copy_of=true'
    const flat = (await harness.items(`${path}&fields=id,copy_of`, reader)) as unknown as { copy_of: string | null }[]
    assert.deepEqual(
      flat.map(({ copy_of: of }) => of ?? undefined),
      whole.map(({ copy_of: of }) => of),
    )
    const nested = await harness.items(`${path}&select=copy_of`, reader)
    assert.equal(nested.filter(({ copy_of: of }) => of !== undefined).length, 60)
    assert.equal((await harness.items('/types/statuses?limit=1000&copy_of=true&dedup=true', reader)).length, 60)
  })

  test('`link` finds those that link to a page, and the page, in every list and with every other filter', async () => {
    const reader = await harness.newReader()
    const [here, there] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const linked = (id: string, hours: number, key: string, more = {}) =>
      status(id, hours, `About ${id}`, { guid: [key], ...more })
    await harness.write(here, [
      linked('page', 0, 'page:n.test/a'),
      linked('mine', 1, 'link:n.test/a'),
      linked('a friend', 2, 'link:n.test/a', { author: 'eve' }),
      linked('another page', 3, 'link:n.test/b'),
      ...Array.from({ length: 400 }, (_, n) => linked(`none ${n}`, 10 + n, `page:n.test/${n}`)),
    ])
    await harness.write(there, [linked('another friend', 4, 'link:n.test/a', { author: 'cy' })], 'feed')
    const found = async (query: string, type = 'statuses') =>
      names(await harness.items(`/types/${type}?sort=asc&${query}`, reader))
    const link = `link=${encodeURIComponent('http://www.n.test/a/?utm_source=x#top')}`
    assert.deepEqual(await found(link), ['page', 'mine', 'a friend'])
    assert.deepEqual(await found(link, 'all_feed'), ['another friend'])
    assert.deepEqual(await found(`${link}&dedup=true`), ['page', 'a friend'])
    assert.deepEqual(await found(`${link}&participants=eve`), ['a friend'])
    assert.deepEqual(await found(`${link}&q=about&limit=2`), ['page', 'mine'])
    assert.deepEqual(await found(`${link}&updated_since=1`), ['page', 'mine', 'a friend'])
    assert.deepEqual(await found('link=https://n.test/none'), [])
    const { headers } = await harness.request(`/services/library/things?limit=1&count=true&${link}`, reader)
    assert.equal(headers.get('x-total-count'), '3')
  })

  test('items that the release before stored are copies again after they were read again', async () => {
    const reader = await harness.newReader()
    await harness.post(reader, [
      { id: 'page', at: AT, type: 'status', text: 'Gardens in spring', url: 'https://blog.test/1' },
      { id: 'link', at: AT + 1, type: 'status', text: 'New: https://blog.test/1' },
      { id: 'friend', at: AT + 2, type: 'status', author: 'eve', text: 'See https://blog.test/1' },
    ])
    assert.deepEqual(await kept(reader), ['page', 'friend'])
    // As that release wrote them: pages and links have one form.
    const own = `select id, shard from profile where account_id = '${reader.account.id}'`
    const [profile] = await harness.tributary.sql<{ id: string; shard: number }>(own)
    const where = `shard = ${profile!.shard} and profile_id = '${profile!.id}'`
    await harness.tributary.sql(
      `update item set guid = array(select regexp_replace(k, '^page:', 'link:') from unnest(guid) k),
         hash = set_byte(hash, 0, 2) where ${where}`,
    )
    assert.deepEqual(await kept(reader), ['page', 'link', 'friend'], 'a link alone makes no copy meanwhile')
    await harness.tributary.sql(`update profile_sync set reader_version = 200000 where ${where}`)
    const { database } = harness.tributary.store
    const registry = createRegistry([library, museum])
    await rereadProfiles({ database, registry, clock: systemClock, log: quiet })
    assert.deepEqual(await kept(reader), ['page', 'friend'])
  })
})
