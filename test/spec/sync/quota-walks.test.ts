import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setQuotas } from '#flows/operations/app-quotas.ts'
import { requestSync } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { since, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import type { QuotaInput } from '#model/apps/quotas.ts'
import { type Fixture, keyOf, type Note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

const pages = numberPages({ param: 'page' })

suite('a walk that reaches a quota', () => {
  let fixture: Fixture
  // Every run yields after one page, so that each walk takes several runs.
  before(async () => {
    fixture = await openFixture({ sliceMs: 0 })
  })
  after(() => fixture.close())

  const allow = (quotas: QuotaInput) => setQuotas(fixture.deps, fixture.appId, quotas, 'test')
  const error = async (profile: Parameters<Fixture['progress']>[0]) => {
    const { last_reason: reason, last_error: sentence } = await fixture.progress(profile, 'list')
    return reason === undefined ? undefined : `${reason}: ${sentence}`
  }
  /** As many runs as a walk can need. */
  const runs = async (profile: Parameters<Fixture['run']>[0], count = 30) => {
    for (let run = 0; run < count; run += 1) await fixture.run(profile)
  }
  const later = () => {
    fixture.clock.offsetMs += 86_400_000
  }

  test('newest first: stays up to date while the quota is full, and reads the older items once it allows them', async () => {
    let list = someNotes(60)
    const connector = await fixture.use('newest', {
      list: notes('/newest', { pages, checkpoint: untilKnown<Note>({ value: ({ at }) => at }) }),
    })
    fixture.service.on('/newest', (request) => paged(() => list, 10)(request))
    await allow({ profile_items: 30 })
    const profile = await fixture.connect(connector)
    await runs(profile)
    assert.equal((await fixture.stored(profile)).size, 30)
    assert.match((await error(profile)) ?? '', /^quota_reached: .*profile_items/)
    // The next runs are short, update stored items, and still report that items are left out.
    list = [{ ...list[0]!, text: 'another text' }, ...list.slice(1)]
    later()
    const asked = fixture.service.requestsTo('/newest').length
    await runs(profile)
    assert.ok(fixture.service.requestsTo('/newest').length - asked < 6)
    assert.match((await fixture.stored(profile)).get('1')!.data, /another text/)
    assert.match((await error(profile)) ?? '', /^quota_reached/)
    await allow({ profile_items: 100 })
    await runs(profile)
    assert.equal((await fixture.stored(profile)).size, 60)
    assert.equal(await error(profile), undefined)
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')
  })

  test('oldest first: the watermark stays where the first item was left out', async () => {
    const list = someNotes(60).toReversed()
    const connector = await fixture.use('oldest', {
      list: notes('/oldest', {
        pages,
        checkpoint: since<Note>({ param: 'since', value: ({ at }) => at, oldestFirst: true }),
      }),
    })
    fixture.service.on('/oldest', (request) =>
      paged(() => list.filter(({ at }) => at! >= Number(request.query['since'] ?? 0)), 10)(request),
    )
    await allow({ profile_items: 25 })
    const profile = await fixture.connect(connector)
    await runs(profile)
    assert.equal((await fixture.stored(profile)).size, 25)
    later()
    await runs(profile)
    assert.match((await error(profile)) ?? '', /^quota_reached/)
    assert.equal((await fixture.stored(profile)).size, 25)
    await allow({})
    await runs(profile)
    assert.equal((await fixture.stored(profile)).size, 60)
    assert.equal(await error(profile), undefined)
  })

  test('ends after some pages with only new items, and detects no deletes', async () => {
    let first = 0
    const connector = await fixture.use('ever', { list: notes('/ever', { pages, deletes: 'all' }) })
    fixture.service.on('/ever', ({ query }) => ({
      body: { notes: someNotes(10, first + Number(query['page']) * 10) },
    }))
    await allow({ profile_items: 15 })
    const profile = await fixture.connect(connector)
    await runs(profile)
    const [before, asked] = [await fixture.stored(profile), fixture.service.requestsTo('/ever').length]
    assert.equal(before.size, 15)
    assert.ok(asked < 20, String(asked))
    first = 100_000
    later()
    await runs(profile)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], [...before.keys()])
  })

  test('a failure in between does not hide that items were left out', async () => {
    let isDown = false
    const connector = await fixture.use('down', {
      list: notes('/down', { pages, checkpoint: untilKnown<Note>({ value: ({ at }) => at }) }),
    })
    fixture.service.on('/down', (request) => (isDown ? { status: 404 } : paged(() => someNotes(40), 10)(request)))
    await allow({ profile_items: 20 })
    const profile = await fixture.connect(connector)
    await runs(profile)
    isDown = true
    later()
    await runs(profile, 3)
    assert.doesNotMatch((await error(profile)) ?? '', /^quota_reached/)
    isDown = false
    later()
    await runs(profile)
    assert.match((await error(profile)) ?? '', /^quota_reached/)
    await allow({})
    await runs(profile)
    assert.equal((await fixture.stored(profile)).size, 40)
  })

  test('a profile whose only large item does not fit takes the small ones', async () => {
    const big = { id: 'big', at: 1, text: 'x'.repeat(5000) }
    const connector = await fixture.use('big', { list: notes('/big') })
    fixture.service.on('/big', () => ({ body: { notes: [big, ...someNotes(5)] } }))
    await allow({ profile_bytes: 2000 })
    const profile = await fixture.connect(connector)
    await runs(profile, 2)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], ['1', '2', '3', '4', '5'])
    assert.match((await error(profile)) ?? '', /profile_bytes/)
    await allow({ profile_bytes: 20_000 })
    await runs(profile, 2)
    assert.equal((await fixture.stored(profile)).size, 6)
  })

  test('a run without new items loads no quota', async () => {
    const connector = await fixture.use('calm', { list: notes('/calm') })
    fixture.service.on('/calm', () => ({ body: { notes: someNotes(3) } }))
    const profile = await fixture.connect(connector)
    await runs(profile, 2)
    const { database } = fixture.deps
    const seen: string[] = []
    const rows: typeof database.rows = (statement, values) => {
      seen.push(statement.name)
      return database.rows(statement, values)
    }
    const watched = { ...fixture.deps, database: { ...database, rows } }
    await requestSync(fixture.deps, profile)
    await runProfile(watched, keyOf(profile), { signal: new AbortController().signal, alone: false, step: () => {} })
    assert.ok(seen.includes('item-probe'))
    assert.deepEqual(
      seen.filter((name) => name.startsWith('usage') || name === 'app-quotas-find'),
      [],
    )
  })
})

suite('a run of several endpoints', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture({ sliceMs: 60_000 })
  })
  after(() => fixture.close())

  test('loads its quotas once, and its endpoints together keep within them', async () => {
    const connector = await fixture.use('both', { left: notes('/left'), right: notes('/right') })
    for (const [side, from] of [
      ['left', 0],
      ['right', 100],
    ] as const)
      fixture.service.on(`/${side}`, () => ({ body: { notes: someNotes(4, from) } }))
    const profile = await fixture.connect(connector)
    await setQuotas(fixture.deps, fixture.appId, { profile_items: 5 }, 'test')
    const { database } = fixture.deps
    const seen: string[] = []
    const rows: typeof database.rows = (statement, values) => {
      seen.push(statement.name)
      return database.rows(statement, values)
    }
    const watched = { ...fixture.deps, database: { ...database, rows } }
    await runProfile(watched, keyOf(profile), { signal: new AbortController().signal, alone: false, step: () => {} })
    const stored = await fixture.sql<{ endpoint: string }>('select endpoint from item where profile_id = $1', [
      profile.id,
    ])
    assert.deepEqual(stored.map(({ endpoint }) => endpoint).sort(), ['left', 'left', 'left', 'left', 'right'])
    assert.deepEqual(
      seen.filter((name) => name === 'usage-account' || name === 'app-quotas-find'),
      ['app-quotas-find', 'usage-account'],
    )
  })
})
