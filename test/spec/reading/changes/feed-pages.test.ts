import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { isSharded } from '#store/cluster/is-sharded.ts'
import { watchStatements } from '../../../harness/database/statements.ts'
import type { Profile, Reader } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import {
  catchUp,
  type FeedChange,
  type FeedHarness,
  type FeedPage,
  Replica,
  short,
  startFeedHarness,
} from './feed-fixture.ts'

let harness: FeedHarness
before(async () => {
  harness = await startFeedHarness()
})
after(() => harness.stop())

const thing = (id: string, at = 1, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const now = async () => {
  await harness.recorded()
  const replica = new Replica()
  replica.apply(await harness.page('cursor=now'))
  return replica
}

interface Owned {
  reader: Reader
  profile: Profile
}

/** People with one profile each, in as many shards; where tables are divided, which are read shard by shard, in one. */
async function people(count: number): Promise<Owned[]> {
  const shard = (await isSharded(harness.tributary.store.database)) ? 7 : undefined
  const owned: Owned[] = []
  for (let n = 0; n < count; n += 1) {
    const reader = await harness.newReader(shard)
    owned.push({ reader, profile: await harness.newProfile(reader) })
  }
  return owned
}

/** A page, and the statements that it needed, by name. */
async function counted(query: string): Promise<{ page: FeedPage; names: string[] }> {
  const names: string[] = []
  const stop = watchStatements(harness.tributary.store.database, ({ name, text }) => {
    // A composed statement gets a name when its text was used often, perhaps by another file.
    if (/^(auto-.*)?$/.test(name) && /\bitem\b/.test(text)) names.push('composed')
    if (/^(feed-|profile-records|profile-find|profile-duplicate|changes-)/.test(name)) names.push(name)
    return undefined
  })
  const page = await harness.page(query).finally(stop)
  return { page, names: names.toSorted() }
}

const owners = (changes: readonly FeedChange[]) =>
  new Set(changes.flatMap((each) => (each.change === 'upsert' ? [each.account] : [])))

suite('a page of the feed of an app', () => {
  test('asks the same statements for two accounts and for thirty', async () => {
    const all = await people(30)
    await harness.recorded()
    const counts = new Map<number, string[]>()
    for (const some of [2, 30]) {
      const replica = await now()
      for (const [n, { profile }] of all.slice(0, some).entries())
        await harness.write(profile, [thing(`of-${n}-${some}`, n)])
      await harness.recorded()
      const { page, names } = await counted(replica.query(1000))
      counts.set(some, names)
      assert.deepEqual([owners(page.changes).size, page.more], [some, false])
    }
    assert.deepEqual(counts.get(30), counts.get(2))
    const ofWalks = new Set<string>()
    const walk = new Replica()
    for (;;) {
      const { page, names } = await counted(walk.query(1000))
      walk.apply(page)
      assert.ok(names.length <= 9, names.join())
      ofWalks.add(names.filter((name) => name.startsWith('profile')).join())
      if (!page.more) break
    }
    assert.ok(walk.items.size >= 30)
    assert.ok(ofWalks.size <= 2, [...ofWalks].join(' or '))
  })

  test('has the entries in the order of the feed, whatever number of them fits', async () => {
    const all = await people(6)
    const start = await now()
    for (let version = 0; version < 3; version += 1)
      for (const [n, { profile }] of all.entries()) {
        const ids = Array.from({ length: 1 + (n % 3) }, (_, i) => `v${version}-${i}`)
        await harness.write(
          profile,
          ids.map((id) => thing(id, version)),
        )
        if (version === 2) await harness.drop(profile, [`v1-0`])
        if (n === 2) await harness.recorded()
      }
    await harness.recorded()
    const read = async (limit: number) => {
      const replica = new Replica()
      replica.cursor = start.cursor
      const entries = await catchUp(harness, replica, limit)
      return entries.map((entry) => `${short(entry)} ${'profile' in entry ? JSON.stringify(entry.profile) : ''}`)
    }
    const whole = await read(1000)
    assert.equal(whole.filter((word) => word.startsWith('+')).length, 6 * 6 - 6)
    assert.equal(whole.filter((word) => word.startsWith('-')).length, 6)
    for (const limit of [1, 2, 3, 7]) assert.deepEqual(await read(limit), whole, `limit ${limit}`)
  })

  test('of which a profile is disconnected between two pages shows nothing of it afterwards', async () => {
    const [one, two] = (await people(2)) as [Owned, Owned]
    const replica = await now()
    for (const { profile } of [one, two])
      await harness.write(
        profile,
        ['a', 'b', 'c', 'd'].map((id) => thing(id)),
      )
    await harness.recorded()
    replica.apply(await harness.page(replica.query(3)))
    await harness.disconnect(one.profile, one.reader)
    const rest = await catchUp(harness, replica, 3)
    assert.ok(rest.every((each) => each.change !== 'upsert' || each.profile === two.profile.profileId))
    await harness.recorded()
    await catchUp(harness, replica, 3)
    const of = ({ profile: { profileId } }: Owned) =>
      [...replica.items.values()].filter(({ profile }) => profile === profileId).length
    assert.deepEqual([of(one), of(two)], [0, 4])
  })

  test('of which a profile is disconnected while it is read shows the rest', async () => {
    const [one, two] = (await people(2)) as [Owned, Owned]
    const replica = await now()
    for (const { profile } of [one, two]) await harness.write(profile, [thing('a'), thing('b')])
    await harness.recorded()
    // Its record was found, and its items are gone when they are looked for.
    let begun: Promise<void> | undefined
    const { database } = harness.tributary.store
    const rows = database.rows.bind(database)
    database.rows = async <Row extends object>(...args: Parameters<typeof rows>) => {
      if (args[0].name.startsWith('feed-changes')) await (begun ??= harness.disconnect(one.profile, one.reader))
      return rows<Row>(...args)
    }
    const page = await harness.page(replica.query(100)).finally(() => Object.assign(database, { rows }))
    assert.notEqual(begun, undefined)
    assert.deepEqual(owners(page.changes), new Set([two.reader.account.id]))
  })

  test('is cut where its records are too large, and the next one continues', async () => {
    const all = await people(3)
    const replica = await now()
    const text = 'x'.repeat(900_000)
    for (const { profile } of all)
      await harness.write(
        profile,
        ['a', 'b', 'c'].map((id) => thing(id, 1, { text })),
      )
    await harness.recorded()
    const sizes: number[] = []
    for (;;) {
      const page = await harness.page(replica.query(100))
      sizes.push(page.changes.filter(({ change }) => change === 'upsert').length)
      replica.apply(page)
      if (!page.more) break
    }
    assert.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      9,
    )
    assert.ok(
      sizes.every((size) => size <= 4),
      sizes.join(),
    )
  })

  test('of people whose changes are all of other types has nothing, and goes on', async () => {
    const all = await people(4)
    await harness.recorded()
    const replica = new Replica('types=statuses')
    replica.apply(await harness.page('cursor=now&types=statuses'))
    for (const { profile } of all)
      await harness.write(
        profile,
        Array.from({ length: 40 }, (_, n) => thing(`p${n}`)),
      )
    await harness.write(all[3]!.profile, [thing('wanted', 2, { types: ['statuses'] })])
    await harness.recorded()
    const found = (await catchUp(harness, replica, 2)).filter(({ change }) => change === 'upsert')
    assert.deepEqual(found.map(short), ['+wanted'])
  })
})
