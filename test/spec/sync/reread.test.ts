import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { countRereads, rereadPage, rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import { currentReaderVersions } from '#kit/connector/reader-version.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { typeBits } from '#model/items/types.ts'
import type { Database } from '#platform/postgres/database.ts'
import { outdatedProfiles } from '#store/items/reread.ts'
import { type Fixture, keyOf, type Note, note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

interface Derived {
  native_id: string
  types: number
  seq: number
  updated_at: number
  oembed: { title?: string; url?: string }
  cards: { statuses?: { type: string } } | null
  found: boolean
  version: number
}

/** The next release of the connector: notes with a link are news as well, and titles are in upper case. */
const newer = {
  ...note,
  version: 1,
  types: ({ link }: Note) => (link === undefined ? ['statuses' as const] : ['statuses' as const, 'news' as const]),
  map: { ...note.map, urls: ({ link }: Note) => (typeof link === 'string' ? [link] : []) },
  cards: { news: { title: ({ text }: Note) => text?.toUpperCase() } },
}
const linked = (count: number) => someNotes(count).map((each) => ({ ...each, link: `https://x.test/${each.id}` }))

suite('after an upgrade that changed readers', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const derived = (profile: Profile, word = 'note') =>
    fixture.sql<Derived>(
      `select native_id, types, seq, updated_at, oembed, cards, words @@ $3::tsquery as found,
         get_byte(hash, 0) * 256 + get_byte(hash, 1) as version
       from item where shard = $1 and profile_id = $2 order by id`,
      [profile.shard, profile.id, `'${profile.id.slice(-4)}${word}'`],
    )
  const outdated = async (profile: Profile) => {
    const current = currentReaderVersions(fixture.deps.registry)
    const found = await outdatedProfiles(fixture.deps.database, current, 100, fixture.clock.now())
    return found.find(({ profileId }) => profileId === profile.id)
  }
  const rereadAll = async (profile: Profile, maxItems?: number, deps = fixture.deps) => {
    for (let work = await outdated(profile); work !== undefined; work = await outdated(profile))
      while (await rereadPage(deps, work, maxItems));
  }
  const isNews = ({ types }: Derived) => types === typeBits(['statuses', 'news'])

  /** A profile whose items the older connector has read. The service has forgotten them meanwhile. */
  async function stored(name: string, list: Note[]) {
    const described = { pages: numberPages({ param: 'page' }) }
    let shown = list
    fixture.service.on(
      `/${name}`,
      paged(() => shown, 100),
    )
    const profile = await fixture.connect(await fixture.use(name, { list: notes(`/${name}`, described) }))
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, list.length)
    return {
      profile,
      show: (now: Note[]) => {
        shown = now
      },
      upgrade: (kind: Parameters<typeof notes>[1] = { kind: newer }) =>
        fixture.use(name, { list: notes(`/${name}`, { ...described, ...kind }) }),
    }
  }

  test('stored records are read again, page by page, without their service', async () => {
    const { profile, upgrade } = await stored('pages', linked(25))
    const before = await derived(profile)
    await upgrade()
    const calls = fixture.service.requestsTo('/pages').length
    const work = (await outdated(profile))!
    assert.equal(await rereadPage(fixture.deps, work, 10), true)
    assert.equal((await derived(profile)).filter(isNews).length, 10)
    assert.equal(await countRereads(fixture.deps), 1)
    await rereadAll(profile, 10)
    const now = await derived(profile)
    assert.ok(now.every((row) => isNews(row) && row.cards?.statuses?.type === 'text'))
    for (const { native_id, oembed } of now)
      assert.deepEqual([oembed.title, oembed.url], [`NOTE ${native_id}`, `https://x.test/${native_id}`])
    const lastBefore = Math.max(...before.map(({ seq }) => seq))
    assert.ok(
      now.every(({ seq }) => seq > lastBefore),
      'destinations get the change',
    )
    assert.equal(new Set(now.map(({ seq }) => seq)).size, 25)
    assert.equal(fixture.service.requestsTo('/pages').length, calls)
    assert.equal(await countRereads(fixture.deps), 0)
  })

  test('items that show the same are not changed, but found by new words', async () => {
    const { profile, upgrade } = await stored('same', someNotes(5))
    const before = await derived(profile)
    // What an older release left: its version, and no words.
    await fixture.sql(
      `update item set hash = '\\x0000'::bytea || substr(hash, 3), words = '' where shard = $1 and profile_id = $2`,
      [profile.shard, profile.id],
    )
    await upgrade()
    assert.ok((await derived(profile)).every(({ found }) => !found))
    await rereadAll(profile)
    const now = await derived(profile)
    assert.ok(now.every(({ found }) => found))
    const shown = (rows: Derived[]) =>
      rows.map(({ seq, updated_at, types, oembed }) => [seq, updated_at, types, oembed])
    assert.deepEqual(shown(now), shown(before))
  })

  test('what the previous release stored gets types, cards and words; its own records leave the feed', async () => {
    const authored = { ...newer, participants: ({ by }: Note) => ({ author: by as string | undefined }) }
    const list = [
      { id: 'own', at: 1_700_000_000_000, text: 'mine 🎉', by: 'ada', link: 'https://x.test/o' },
      { id: 'other', at: 1_700_000_000_001, text: 'theirs 🎉', by: 'ben', link: 'https://x.test/t' },
    ]
    const { profile, upgrade } = await stored('previous', list)
    await fixture.sql(
      `update item set hash = '\\x0000'::bytea || substr(hash, 3), words = '', cards = null, types = $3
       where shard = $1 and profile_id = $2`,
      [profile.shard, profile.id, typeBits(['statuses_feed'])],
    )
    await fixture.sql('update profile_sync set reader_version = 0 where shard = $1 and profile_id = $2', [
      profile.shard,
      profile.id,
    ])
    await upgrade({ kind: authored, feed: true })
    await rereadAll(profile)
    const byId = new Map((await derived(profile, '🎉')).map((row) => [row.native_id, row]))
    assert.deepEqual([byId.get('own')!.types, byId.get('own')!.cards], [0, null])
    assert.equal(byId.get('other')!.types, typeBits(['statuses_feed', 'news_feed']))
    assert.ok([...byId.values()].every(({ found }) => found))
  })

  test('a process that dies in the middle of a page loses nothing, and another one continues', async () => {
    const { profile, upgrade } = await stored('killed', linked(30))
    await upgrade()
    const work = (await outdated(profile))!
    await rereadPage(fixture.deps, work, 10)
    const before = await derived(profile)
    const { database } = fixture.deps
    const dying: Database = {
      ...database,
      transaction: (run) =>
        database.transaction(async (tx) => {
          await run(tx)
          // Everything is written, nothing committed.
          await tx.rows({ name: '', text: 'select pg_terminate_backend(pg_backend_pid())' })
          throw new Error('unreachable')
        }),
    }
    await assert.rejects(rereadPage({ ...fixture.deps, database: dying }, work, 10))
    assert.deepEqual(await derived(profile), before)
    assert.equal(await rereadPage(fixture.deps, work, 10), false, 'its lease has not expired')
    assert.equal(await outdated(profile), undefined)
    fixture.clock.offsetMs += 61_000
    await rereadAll(profile, 10)
    assert.ok((await derived(profile)).every(isNews))
  })

  test('a record that ends every process is given up, and the others are read', async () => {
    const { profile, upgrade } = await stored('deadly', linked(12))
    await upgrade()
    const deadly = (await derived(profile))[5]!.native_id
    const { database } = fixture.deps
    const dying: Database = {
      ...database,
      transaction: (run) =>
        database.transaction(async (tx) => {
          const rows = tx.rows.bind(tx)
          const result = await run({
            ...tx,
            rows: async <Row extends object>(...args: Parameters<typeof tx.rows>) => {
              const found = await rows<Row>(...args)
              // Stands for a reader that never returns or takes all memory.
              if (args[0].name === 'reread-items' && found.some((row) => 'data' in row && isDeadly(row.data)))
                throw new Error('the process died')
              return found
            },
          })
          return result
        }),
    }
    const isDeadly = (data: unknown) => (JSON.parse(String(data)) as Note).id === deadly
    let deaths = 0
    for (let round = 0; round < 40 && (await derived(profile)).filter(isNews).length < 11; round += 1) {
      const work = await outdated(profile)
      if (work === undefined) fixture.clock.offsetMs += 61_000
      else
        await rereadPage({ ...fixture.deps, database: deaths < 3 ? dying : database }, work).catch(() => {
          deaths += 1
        })
    }
    await rereadAll(profile)
    assert.equal(deaths, 3)
    const left = (await derived(profile)).filter((row) => !isNews(row))
    assert.deepEqual(
      left.map(({ native_id }) => native_id),
      [deadly],
    )
    assert.ok(fixture.lines.some((line) => line.includes('could not be read again')))
  })

  test('two processes and a sync at the same time write each item once', async () => {
    const { profile, upgrade, show } = await stored('together', linked(60))
    await upgrade()
    const list = linked(62).map((each) => (each.id === '7' ? { ...each, text: 'edited' } : each))
    show(list)
    const work = (await outdated(profile))!
    const reread = async () => {
      for (let left = 200; left > 0 && (await outdated(profile)) !== undefined; left -= 1)
        await rereadPage(fixture.deps, work, 7)
    }
    await Promise.all([reread(), reread(), fixture.sync(profile)])
    await rereadAll(profile)
    const now = await derived(profile)
    assert.equal(now.length, 62)
    assert.ok(now.every(isNews))
    assert.equal(new Set(now.map(({ seq }) => seq)).size, 62)
    assert.equal(now.find(({ native_id }) => native_id === '7')!.oembed.title, 'EDITED')
  })

  test('a sync writes no item only because its reader has changed', async () => {
    const { profile, upgrade } = await stored('quiet', someNotes(5))
    const before = await derived(profile)
    await upgrade()
    await fixture.sync(profile)
    assert.deepEqual(await derived(profile), before)
    await rereadAll(profile)
    const { version } = (await derived(profile))[0]!
    assert.notEqual(version, before[0]!.version)
    await fixture.sync(profile)
    assert.deepEqual(
      (await derived(profile)).map(({ seq }) => seq),
      before.map(({ seq }) => seq),
    )
  })

  test('an item that a process of the previous release wrote afterwards is read when a sync returns it', async () => {
    const { profile, upgrade } = await stored('late', linked(3))
    await upgrade()
    await rereadAll(profile)
    await fixture.sql(
      `update item set hash = '\\x0000'::bytea || substr(hash, 3), types = $3, cards = null
       where shard = $1 and profile_id = $2 and native_id = '2'`,
      [profile.shard, profile.id, typeBits(['statuses'])],
    )
    await fixture.sync(profile)
    assert.ok((await derived(profile)).every(isNews))
  })

  test('a paused profile is read again; an erased one and one of a removed connector are passed over', async () => {
    const { profile, upgrade } = await stored('erased', linked(3))
    await upgrade()
    const work = (await outdated(profile))!
    const { shard, profileId } = keyOf(profile)
    await fixture.sql('update profile_sync set next_run_at = null where shard = $1 and profile_id = $2', [
      shard,
      profileId,
    ])
    await rereadPage(fixture.deps, work, 1)
    assert.equal((await derived(profile)).filter(isNews).length, 1, 'a profile that is not scheduled')
    await fixture.sql('delete from profile_sync where shard = $1 and profile_id = $2', [shard, profileId])
    assert.equal(await rereadPage(fixture.deps, work, 1), false)
    const { profile: lost } = await stored('removed', linked(3))
    await fixture.use('removed', {})
    assert.equal(await outdated(lost), undefined)
    while ((await rereadProfiles(fixture.deps)) > 0);
    assert.equal((await derived(lost)).length, 3)
  })
})
