import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { queryItems } from '#store/items/query.ts'
import { listReadable } from '#store/items/readable-profiles.ts'
import { type Item, type Profile, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'
import type { Thing } from './thing.ts'

/** More than are scanned one by one, so that the indexes of words and places are used too. */
const ITEMS = 700
const READERS = 4
let harness: ReadingHarness
const readers: { reader: Reader; profile: Profile }[] = []
/** One account with a profile in each of two partitions, as a merge leaves it. */
let merged: Reader

/** Every account has the same number of rows of the same size: their positions within the tables are the same. */
function thingsOf(name: string): Thing[] {
  return Array.from({ length: ITEMS }, (_, n) => ({
    id: `n${n}`,
    at: 1_700_000_000_000 - n * 1000,
    types: ['photos'],
    title: `common ${n % 350 === 349 ? 'rare' : 'other'}`,
    author: 'eve',
    lat: n % 350 === 349 ? 10 : 50,
    lng: 10,
    whose: name,
  }))
}

before(async () => {
  harness = await startReadingHarness()
  // Native partitioning of PostgreSQL: one physical table per range of shards.
  await harness.tributary.store.database.script(`
    alter table item rename to item_whole;
    create table item (like item_whole including all) partition by range (shard);
    drop table item_whole;
    create table item_p1 partition of item for values from (0) to (2);
    create table item_p2 partition of item for values from (2) to (3);
    create table item_p3 partition of item for values from (3) to (4);
    create table item_p4 partition of item for values from (4) to (1024);`)
  for (let n = 1; n <= READERS; n += 1) {
    const reader = await harness.newReader(n)
    const profile = await harness.newProfile(reader, 'library', `o${n}`)
    await harness.put(profile, thingsOf(profile.profileId))
    readers.push({ reader, profile })
  }
  merged = await harness.newReader(3)
  const held = [await harness.newProfile(merged, 'museum', 'm3')]
  const second = await harness.newReader(4)
  held.push(await harness.newProfile(second, 'library', 'm4'))
  for (const profile of held) await harness.put(profile, thingsOf(profile.profileId))
  const { database } = harness.tributary.store
  await database.script(`
    update profile set account_id = '${merged.account.id}' where id = '${held[1]!.profileId}';
    update account set shards = '{3,4}' where id = '${merged.account.id}';
    analyze item`)
})
after(() => harness.stop())

const SEARCHES = [
  ['q=rare', 2],
  ['q=common&limit=20', 20],
  ['q=common&limit=2000', ITEMS],
  ['near=10,10&within=5', 2],
  ['participants=eve&limit=30', 30],
] as const

suite('items partitioned by shard', () => {
  for (const [search, expected] of SEARCHES) {
    test(`a search finds only the caller’s own: ${search}`, async () => {
      for (const { reader, profile } of readers) {
        const found = await harness.items(`/types/photos?${search}`, reader)
        assert.equal(found.length, expected)
        assert.deepEqual([...new Set(found.map(({ data }) => data['whose']))], [profile.profileId])
        assert.deepEqual(found, found.toSorted(newestFirst))
      }
    })
  }

  test('an account with profiles in two partitions gets each item once', async () => {
    const found = await harness.items('/types/photos?q=rare', merged)
    assert.equal(found.length, 4)
    assert.equal(new Set(found.map(({ id }) => id)).size, 4)
    assert.equal(new Set(found.map(({ data }) => data['whose'])).size, 2)
    assert.equal((await harness.items('/types/photos?q=common&limit=5000', merged)).length, 2 * ITEMS)
  })
})

test('rows of a profile that was not queried are refused, whatever returned them', async () => {
  const { database } = harness.tributary.store
  const [own, foreign] = readers
  const readable = await listReadable(database, own!.reader.account)
  const others = await listReadable(database, foreign!.reader.account)
  const everything = {
    limit: 5,
    since: 0,
    until: 2_000_000_000_000,
    updatedSince: undefined,
    before: undefined,
    sort: 'desc' as const,
    terms: undefined,
    participants: [],
    near: undefined,
    dedup: false,
  }
  // A database that returns rows of somebody else, as a wrong statement or a wrong shard would.
  const lying: typeof database = {
    ...database,
    rows: (statement, values) =>
      database.rows(
        statement,
        (values ?? []).map((value) =>
          value === readable[0]!.profileId
            ? others[0]!.profileId
            : value === readable[0]!.shard
              ? others[0]!.shard
              : value,
        ),
      ),
  }
  await assert.rejects(queryItems(lying, readable, { type: 'photos' }, everything, 5), /another profile/)
})

function newestFirst(a: Item, b: Item): number {
  return b.at - a.at
}
