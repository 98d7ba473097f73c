import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createPresenter } from '#flows/read/present.ts'
import { createRegistry } from '#kit/connector/registry.ts'
import type { Query } from '#model/items/query.ts'
import type { Queries } from '#platform/postgres/database.ts'
import { listReadable, type ReadableProfile } from '#store/identity/readable-profiles.ts'
import { changeKeysAfter, keptChanges } from '#store/items/change-keys.ts'
import { findItem, findItems } from '#store/items/items-by-id.ts'
import { queryKeys } from '#store/items/keys.ts'
import { queryItems } from '#store/items/query.ts'
import { type ChangesHarness, startChangesHarness } from './changes/changes-fixture.ts'
import library from './connectors/library.ts'
import type { Item, Profile, Reader } from './fixture.ts'
import type { Thing } from './thing.ts'

/** More than are scanned one by one, so that the indexes of words and places are used too. */
const ITEMS = 700
/** On partitioned tables these are in several partitions, whose first rows have the same positions. */
const SHARDS = [1, 2, 3, 4, 5, 6]
let harness: ChangesHarness
const readers: { reader: Reader; profile: Profile }[] = []

/** Every account has the same number of rows of the same size: their positions within the partitions are the same. */
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
  harness = await startChangesHarness()
  for (const shard of SHARDS) {
    const reader = await harness.newReader(shard)
    const profile = await harness.newProfile(reader, 'library', `o${shard}`)
    await harness.write(profile, thingsOf(profile.profileId))
    readers.push({ reader, profile })
  }
  await harness.tributary.sql('analyze item')
})
after(() => harness.stop())

const SEARCHES = [
  ['q=rare', 2],
  ['q=common&limit=20', 20],
  ['q=common&limit=2000', ITEMS],
  ['near=10,10&within=5', 2],
  ['participants=eve&limit=30', 30],
] as const

suite('items at the same positions in several partitions', () => {
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
})

const WHOLE: Query = {
  limit: 5,
  since: 0,
  until: 2_000_000_000_000,
  updatedSince: undefined,
  before: undefined,
  sort: 'desc',
  terms: undefined,
  participants: [],
  near: undefined,
  dedup: false,
  copyOf: false,
  link: undefined,
}

/** What reads rows that carry their profile, by the way it reads them. */
const READS: Record<string, (queries: Queries, readable: ReadableProfile[], id: string) => Promise<unknown>> = {
  'a list': (queries, readable) => queryItems(queries, readable, { type: 'photos' }, WHOLE, 5),
  'a search': (queries, readable) =>
    queryItems(queries, readable, { endpoint: 'things' }, { ...WHOLE, near: { lat: 10, lng: 10, km: 5 } }, 5),
  'keys of a page': (queries, readable) =>
    queryKeys(queries, { readable, selection: { type: 'photos' }, query: WHOLE, limit: 5 }),
  'an item by id': (queries, readable, id) => findItem(queries, readable, id),
  'changed items': (queries, [profile], id) => findItems(queries, [{ profile: profile!, id, place: 0 }], 1000),
  'keys of changes': (queries, readable) =>
    changeKeysAfter(
      queries,
      readable.map((profile) => ({ ...profile, seq: 0 })),
      5,
    ),
  'the latest changes': (queries, readable) => keptChanges(queries, readable),
}

suite('rows of a profile that was not asked for', () => {
  for (const [what, read] of Object.entries(READS))
    test(`are refused by what reads ${what}`, async () => {
      const { database } = harness.tributary.store
      const [own, foreign] = await Promise.all(
        readers.slice(0, 2).map(({ reader }) => listReadable(database, reader.account)),
      )
      const [item] = await queryItems(database, foreign!, { type: 'photos' }, WHOLE, 1)
      assert.ok(await read(database, foreign!, item!.id), 'it reads what it is asked for')
      await assert.rejects(read(answeringFor(database, own![0]!, foreign![0]!), own!, item!.id), /another profile/)
    })

  test('are refused by what writes the response', async () => {
    const { database } = harness.tributary.store
    const [own, foreign] = await Promise.all(
      readers.slice(0, 2).map(({ reader }) => listReadable(database, reader.account)),
    )
    const [item] = await queryItems(database, foreign!, { type: 'photos' }, WHOLE, 1)
    const deps = { registry: createRegistry([library]) }
    const options = { oembed: true, map: false }
    assert.match(createPresenter(deps, foreign!, options)(item!), /common/)
    assert.throws(() => createPresenter(deps, own!, options)(item!), /another profile/)
  })
})

/** A database that returns rows of somebody else, as a wrong statement or a wrong shard would. */
function answeringFor(queries: Queries, own: ReadableProfile, foreign: ReadableProfile): Queries {
  const swapped = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(swapped)
    if (value === own.profileId) return foreign.profileId
    return value === own.shard ? foreign.shard : value
  }
  return {
    ...queries,
    rows: (statement, values = statement.values ?? []) => queries.rows(statement, values.map(swapped)),
  }
}

function newestFirst(a: Item, b: Item): number {
  return b.at - a.at
}
