import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setQuotas } from '#flows/operations/app-quotas.ts'
import { resetSync } from '#flows/sync/progress.ts'
import { since } from '#kit/endpoints/checkpoint.ts'
import { type Fixture, type Note, notes, openFixture } from '../engine-fixture.ts'
import { entries, folder, openFolders } from './children-fixture.ts'

const DAY_MS = 86_400_000

suite('child endpoints', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('all pages of every parent are read, after the parents', async () => {
    const { ids, expected, profile, settle } = await openFolders(fixture, 'plain', [
      folder('a', 12),
      folder('b', 3),
      folder('c', 0),
    ])
    await settle()
    assert.deepEqual(await ids(), expected())
    assert.equal((await ids()).length, 15)
    const progress = await fixture.progress(profile, 'entries')
    assert.deepEqual([progress.state, progress.items, progress.progress], ['done', 15, 1])
  })

  test('an entry and a whole list that disappear become tombstones, those of other lists stay', async () => {
    const { holder, ids, expected, profile } = await openFolders(
      fixture,
      'gone',
      [folder('a', 12), folder('b', 8), folder('c', 30)],
      { deletes: 'all' },
    )
    await fixture.run(profile)
    holder.folders[0]!.entries.splice(3, 2)
    holder.folders.splice(1, 1)
    await fixture.sync(profile)
    await fixture.sync(profile)
    assert.deepEqual(await ids(), expected())
    const [tombstones] = await fixture.sql<{ n: number }>(
      `select count(*)::int as n from item_tombstone where profile_id = $1 and endpoint = 'entries'`,
      [profile.id],
    )
    assert.equal(tombstones!.n, 10)
    assert.equal((await fixture.progress(profile, 'entries')).items, 40)
    for (const table of ['child_sync', 'child_item']) {
      const [left] = await fixture.sql<{ n: number }>(
        `select count(distinct parent)::int as n from ${table} where profile_id = $1`,
        [profile.id],
      )
      assert.equal(left!.n, 2, table)
    }
  })

  test('lists that are all empty at once are kept and reported, until confirmed', async () => {
    const { holder, ids, profile } = await openFolders(fixture, 'emptied', [folder('a', 20), folder('b', 20)], {
      deletes: 'all',
    })
    await fixture.run(profile)
    const full = holder.folders
    holder.folders = full.map((each) => ({ ...each, entries: [] }))
    await fixture.sync(profile)
    assert.equal((await ids()).length, 40)
    assert.equal((await fixture.progress(profile, 'entries')).suspect_deletes, 40)
    await fixture.sync(profile, { confirmDeletes: true })
    assert.deepEqual(await ids(), [])
  })

  test('only parents that changed are visited again, and at once; by the version where the connector has one', async () => {
    const folders = [folder('a', 3), folder('b', 3)]
    const { holder, asked, ids, expected, profile, script, settle } = await openFolders(fixture, 'changed', folders, {
      when: 'changed',
      version: ({ mark }) => mark as string,
      deletes: 'all',
    })
    await settle()
    const before = asked('a')
    await fixture.sync(profile)
    assert.equal(asked('a'), before, 'nothing changed')
    holder.folders[0]!.entries.push({ id: 'new', at: 1_700_000_100_000 })
    holder.folders[0]!.mark = '2'
    holder.folders.push(folder('d', 2))
    script('d')
    const others = asked('b')
    // Only the parents are due: their change makes the children due.
    await fixture.sql(`update endpoint_sync set next_run_at = $2 where profile_id = $1 and endpoint = 'entries'`, [
      profile.id,
      fixture.clock.now() + DAY_MS,
    ])
    await fixture.sql(`update endpoint_sync set next_run_at = 0 where profile_id = $1 and endpoint = 'list'`, [
      profile.id,
    ])
    await fixture.run(profile)
    await fixture.run(profile)
    assert.deepEqual(await ids(), expected())
    assert.equal(asked('b'), others)
  })

  test('a version that stays saves the visit although the record changed', async () => {
    const { holder, asked, profile, connector, settle } = await openFolders(fixture, 'same-version', [folder('a', 3)], {
      when: 'changed',
      version: () => 'constant',
    })
    await settle()
    const before = asked('a')
    holder.folders[0]!.mark = '2'
    await fixture.sync(profile)
    assert.equal(asked('a'), before)
    assert.equal(connector.endpoints['entries']?.children?.when, 'changed')
  })

  test('after a while all parents are visited nevertheless', async () => {
    const { holder, ids, expected, profile, settle } = await openFolders(fixture, 'all-every', [folder('a', 3)], {
      when: 'changed',
      allEvery: '1d',
    })
    await settle()
    holder.folders[0]!.entries.push({ id: 'unannounced', at: 1_700_000_100_000 })
    await fixture.sync(profile)
    assert.notDeepEqual(await ids(), expected())
    fixture.clock.offsetMs += DAY_MS
    await fixture.sync(profile)
    assert.deepEqual(await ids(), expected())
  })

  test('a parent that the service refuses is a fault, and the others are read', async () => {
    const { ids, profile, asked, script } = await openFolders(fixture, 'refused', [
      folder('a', 2),
      folder('b', 2),
      folder('c', 2),
    ])
    fixture.service.on('/refused/b/entries', () => ({ status: 403, body: {} }))
    await fixture.run(profile)
    assert.deepEqual(await ids(), ['a:1', 'a:2', 'c:1', 'c:2'])
    const progress = await fixture.progress(profile, 'entries')
    assert.equal(progress.state, 'done')
    assert.equal(progress.faults?.count, 1)
    assert.deepEqual([progress.faults?.latest[0]?.record, progress.faults?.latest[0]?.field], ['b', 'children'])
    // Not asked again for a day, then it is there and the fault is over.
    const before = asked('b')
    await fixture.sync(profile)
    assert.equal(asked('b'), before)
    script('b')
    fixture.clock.offsetMs += 2 * DAY_MS
    await fixture.sync(profile)
    assert.equal((await ids()).length, 6)
    assert.equal((await fixture.progress(profile, 'entries')).faults, undefined)
  })

  test('where every parent is refused the endpoint fails with the reason', async () => {
    const { profile } = await openFolders(fixture, 'all-refused', [folder('a', 2), folder('b', 2)])
    for (const id of ['a', 'b']) fixture.service.on(`/all-refused/${id}/entries`, () => ({ status: 403, body: {} }))
    await fixture.run(profile)
    const { state, last_reason } = await fixture.progress(profile, 'entries')
    assert.deepEqual([state, last_reason], ['failing', 'service_refused'])
  })

  test('a throttle pauses the round, which continues at the same parent', async () => {
    const { profile, ids, expected, asked, script } = await openFolders(fixture, 'throttled', [
      folder('a', 2),
      folder('b', 2),
    ])
    fixture.service.on('/throttled/b/entries', () => ({ status: 429, headers: { 'retry-after': '120' }, body: {} }))
    await fixture.run(profile)
    assert.equal((await fixture.reload(profile)).state, 'limited')
    assert.equal((await ids()).length, 2)
    script('b')
    const before = asked('a')
    fixture.clock.offsetMs += 130_000
    await fixture.run(profile)
    assert.deepEqual(await ids(), expected())
    assert.equal(asked('a'), before)
  })

  test('access that is taken back in the middle ends the run; after a new sign-in it continues there', async () => {
    const { profile, ids, expected, asked, script } = await openFolders(fixture, 'revoked', [
      folder('a', 2),
      folder('b', 2),
    ])
    fixture.service.on('/revoked/b/entries', () => ({ status: 401, body: {} }))
    await fixture.run(profile)
    assert.equal((await fixture.reload(profile)).state, 'needs_auth')
    assert.equal((await ids()).length, 2)
    script('b')
    const before = asked('a')
    await fixture.connect(fixture.deps.registry.find('revoked')!)
    await fixture.run(profile)
    assert.deepEqual(await ids(), expected())
    assert.equal(asked('a'), before)
  })

  test('a full quota ends the round, and more room lets it read everything', async () => {
    const folders = Array.from({ length: 15 }, (_, i) => folder(`s${i}`, 4))
    const { profile, ids, expected, settle } = await openFolders(fixture, 'quota', folders)
    const allow = (count: number) => setQuotas(fixture.deps, fixture.appId, { profile_items: count }, 'test')
    await allow(30)
    await fixture.run(profile)
    assert.equal((await ids()).length, 15, 'and the fifteen parents')
    assert.equal((await fixture.progress(profile, 'entries')).last_reason, 'quota_reached')
    assert.equal(fixture.service.requestsTo('/quota/s14/entries').length, 0)
    await allow(10_000)
    await settle()
    assert.deepEqual(await ids(), expected())
  })

  test('a parent at which runs fail again and again is left out, and the round goes on', async () => {
    const { profile, ids } = await openFolders(fixture, 'broken', [folder('a', 1), folder('b', 1), folder('c', 1)])
    fixture.service.on('/broken/b/entries', () => ({ status: 500, body: {} }))
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await fixture.run(profile)
      fixture.clock.offsetMs += DAY_MS / 4
    }
    assert.deepEqual(await ids(), ['a:1', 'c:1'])
    assert.equal((await fixture.progress(profile, 'entries')).faults?.latest[0]?.record, 'b')
  })

  test('each parent has its own watermark, and a reset forgets them all', async () => {
    const checkpoint = since<Note>({ param: 'since', value: ({ at }) => at })
    const { profile } = await openFolders(fixture, 'marks', [folder('a', 2), folder('b', 2)], { checkpoint })
    const asked: string[] = []
    for (const [id, at] of [
      ['a', 5000],
      ['b', 9000],
    ] as const)
      fixture.service.on(`/marks/${id}/entries`, ({ query }) => {
        asked.push(`${id}${query['since'] ?? ''}`)
        const list = query['page'] === '1' ? [{ id: '1', at: 1_700_000_000_000 + at }] : []
        return { body: { notes: list } }
      })
    await fixture.run(profile)
    asked.length = 0
    await fixture.sync(profile)
    assert.deepEqual([...new Set(asked)].sort(), ['a1700000005000', 'b1700000009000'])
    await resetSync(fixture.deps, profile)
    asked.length = 0
    await fixture.run(profile)
    assert.deepEqual([...new Set(asked)].sort(), ['a', 'b'])
  })

  test('details in batches, and one bad parent does not hide the others', async () => {
    const connector = await fixture.use('batch', {
      list: notes('/batch'),
      details: entries('/batch', {
        path: '/details',
        pages: undefined as never,
        batch: { size: 4, param: 'ids', separator: ' ' },
        items: (body) => body.notes,
        deletes: 'all',
      }),
    })
    const ids = Array.from({ length: 10 }, (_, i) => `n${i}`)
    fixture.service.on('/batch', () => ({ body: { notes: ids.map((id) => ({ id, at: 1_700_000_000_000 })) } }))
    fixture.service.on('/details', ({ query }) => {
      const asked = (query['ids'] ?? '').split(' ')
      if (asked.includes('n5')) return { status: 404, body: {} }
      return { body: { notes: asked.map((id) => ({ id, text: `details of ${id}`, at: 1_700_000_000_000 })) } }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const stored = [...(await fixture.stored(profile, 'details')).keys()].sort()
    assert.deepEqual(
      stored,
      ids.filter((id) => id !== 'n5'),
    )
    assert.equal((await fixture.progress(profile, 'details')).faults?.latest[0]?.record, 'n5')
  })

  test('several ids in a body', async () => {
    const connector = await fixture.use('bodies', {
      list: notes('/bodies'),
      details: entries('/bodies', {
        path: '/bodies/details',
        method: 'POST',
        pages: undefined as never,
        batch: { size: 50, body: (ids) => ({ ids }) },
        items: (body) => body.notes,
      }),
    })
    fixture.service.on('/bodies', () => ({ body: { notes: [{ id: 'x' }, { id: 'y' }] } }))
    fixture.service.on('/bodies/details', ({ body, headers }) => {
      const { ids } = JSON.parse(body) as { ids: string[] }
      return { body: { notes: ids.map((id) => ({ id, text: String(headers['content-type']) })) } }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.deepEqual([...(await fixture.stored(profile, 'details')).keys()], ['x', 'y'])
    assert.equal(fixture.service.requestsTo('/bodies/details').length, 1)
  })

  test('children of children', async () => {
    const { connector, profile } = await openFolders(fixture, 'deep', [folder('a', 2), folder('b', 1)])
    await fixture.use('deep', {
      ...connector.endpoints,
      lines: entries('/deep', { each: 'entries', path: '/deep/lines', query: { of: '{parent}' } }),
    })
    fixture.service.on('/deep/lines', ({ query }) => ({
      body: { notes: query['page'] === '1' ? [{ id: 'first' }, { id: 'second' }] : [] },
    }))
    for (let turn = 0; turn < 3; turn += 1) await fixture.run(profile)
    const stored = [...(await fixture.stored(profile, 'lines')).keys()].sort()
    assert.deepEqual(
      stored,
      ['a:1', 'a:2', 'b:1'].flatMap((id) => [`${id}:first`, `${id}:second`]),
    )
  })

  test('an id that leads elsewhere is not put into an address', async () => {
    const { profile, holder } = await openFolders(fixture, 'climbing', [folder('..', 1), folder('a/b?c', 1)])
    fixture.service.on('/climbing/a%2Fb%3Fc/entries', ({ query }) => ({
      body: { notes: query['page'] === '1' ? [{ id: 'ok' }] : [] },
    }))
    await fixture.run(profile)
    assert.deepEqual([...(await fixture.stored(profile, 'entries')).keys()], ['a/b?c:ok'])
    assert.equal((await fixture.progress(profile, 'entries')).faults?.latest[0]?.record, '..')
    assert.equal(fixture.service.requestsTo('/entries').length, 0)
    assert.equal(holder.folders.length, 2)
  })

  test('an item that two parents show is deleted with the second', async () => {
    const { holder, ids, profile } = await openFolders(
      fixture,
      'shared',
      [folder('a', 1), folder('b', 1), folder('c', 30)],
      { deletes: 'all', items: (body) => body.notes },
    )
    holder.folders[0]!.entries = [{ id: 'both', at: 1_700_000_000_000 }]
    holder.folders[1]!.entries = [{ id: 'both', at: 1_700_000_000_000 }]
    await fixture.run(profile)
    assert.ok((await ids()).includes('both'))
    holder.folders[0]!.entries = []
    await fixture.sync(profile)
    assert.ok((await ids()).includes('both'))
    holder.folders.splice(1, 1)
    await fixture.sync(profile)
    assert.ok(!(await ids()).includes('both'))
  })
})
