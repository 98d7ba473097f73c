import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { since, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { cursorPages, linkPages, numberPages } from '#kit/endpoints/pages.ts'
import { type Fixture, type Note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

type Cursored = { notes: Note[]; next?: string }

const byCursor = cursorPages({ param: 'cursor', from: (body: Cursored) => body.next })

suite('walking pages', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('an interrupted walk continues at the stored page', async () => {
    const connector = await fixture.use('cut', { list: notes('/cut', { pages: numberPages({ param: 'page' }) }) })
    const stopped = new AbortController()
    fixture.service.on('/cut', (request) => {
      if (request.query['page'] === '4') stopped.abort()
      return paged(() => someNotes(80), 10)(request)
    })
    const profile = await fixture.connect(connector)
    // Like a worker that stops in the middle: pages 1 to 3 are stored, page 4 is not.
    await fixture.run(profile, stopped.signal)
    assert.equal((await fixture.stored(profile)).size, 30)
    assert.equal((await fixture.progress(profile, 'list')).state, 'running')
    const asked = fixture.service.requestsTo('/cut').length
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 80)
    assert.equal(fixture.service.requestsTo('/cut')[asked]!.query['page'], '4')
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')
  })

  test('a relative link leads to the next page, from the address that responded', async () => {
    const api = { baseUrl: 'https://api.test/v2' }
    const connector = await fixture.use('linked', { list: notes('/list', { pages: linkPages() }) }, { api })
    const links: Record<string, string> = { 1: '?page=2', 2: 'list?page=3', 3: '/v2/list?page=4' }
    fixture.service.on('/v2/list', ({ query }) => {
      const page = query['page'] ?? '1'
      const link = links[page]
      const list = someNotes(8).slice((Number(page) - 1) * 2, Number(page) * 2)
      return { body: { notes: list }, ...(link === undefined ? {} : { headers: { link: `<${link}>; rel="next"` } }) }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const { state, last_error: error } = await fixture.progress(profile, 'list')
    assert.deepEqual([state, error], ['done', undefined])
    assert.equal((await fixture.stored(profile)).size, 8)
  })

  test('a link that is not an address fails the walk', async () => {
    const connector = await fixture.use('mislinked', { list: notes('/mislinked', { pages: linkPages() }) })
    const headers = { link: '<http://[>; rel="next"' }
    fixture.service.on('/mislinked', () => ({ body: { notes: someNotes(1) }, headers }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).last_reason, 'unexpected_answer')
  })

  test('a long walk yields to the other endpoints and still detects deletes', async () => {
    const slow = await openFixture({ sliceMs: 0 })
    try {
      let list = someNotes(60)
      const connector = await slow.use('slices', {
        list: notes('/long', { deletes: 'all', pages: numberPages({ param: 'page' }) }),
        short: notes('/short'),
      })
      slow.service.on(
        '/long',
        paged(() => list, 10),
      )
      slow.service.on('/short', () => ({ body: { notes: someNotes(1) } }))
      const profile = await slow.connect(connector)
      await slow.run(profile)
      await slow.run(profile)
      // One page each: the short walk did not have to wait for the end of the long one.
      assert.equal((await slow.stored(profile, 'short')).size, 1)
      assert.equal((await slow.stored(profile)).size, 10)
      for (let turn = 0; turn < 8; turn += 1) await slow.run(profile)
      assert.equal((await slow.progress(profile, 'list')).state, 'done')
      list = list.filter(({ id }) => id !== '7' && id !== '55')
      slow.clock.offsetMs += 86_400_000
      for (let turn = 0; turn < 10; turn += 1) await slow.run(profile)
      const ids = [...(await slow.stored(profile)).keys()]
      assert.equal(ids.length, 58)
      assert.ok(!ids.includes('7') && !ids.includes('55'))
    } finally {
      await slow.close()
    }
  })

  test('an empty page with a cursor is not the end', async () => {
    const pages: Record<string, Cursored> = {
      '': { notes: someNotes(2), next: 'b' },
      b: { notes: [], next: 'c' },
      c: { notes: [], next: 'd' },
      d: { notes: someNotes(2, 3) },
    }
    const connector = await fixture.use('gaps', { list: notes('/gaps', { pages: byCursor }) })
    fixture.service.on('/gaps', ({ query }) => ({ body: pages[query['cursor'] ?? ''] }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 4)
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')
  })

  test('S49 a cursor that does not advance fails the endpoint, and the waits grow', async () => {
    const connector = await fixture.use('stuck', { list: notes('/stuck', { pages: byCursor }) })
    fixture.service.on('/stuck', () => ({ body: { notes: someNotes(1), next: 'same' } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const { state, last_reason: reason, next_run: next } = await fixture.progress(profile, 'list')
    assert.equal(state, 'failing')
    assert.equal(reason, 'walk_repeats')
    assert.equal(fixture.service.requestsTo('/stuck').length, 2)
    assert.ok(next > fixture.clock.now() + 20_000)
    // The shown records are stored, and the next walk does not continue in the loop.
    assert.equal((await fixture.stored(profile)).size, 1)
    fixture.clock.offsetMs += 60_000
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/stuck').length, 4)
    assert.ok((await fixture.progress(profile, 'list')).next_run > fixture.clock.now() + 45_000)
  })

  test('S49 the same page under ever new cursors fails the endpoint', async () => {
    let count = 0
    const connector = await fixture.use('ever', { list: notes('/ever', { pages: byCursor }) })
    fixture.service.on('/ever', () => ({ body: { notes: someNotes(2), next: String((count += 1)) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).last_reason, 'walk_repeats')
    assert.ok(count < 40)
    assert.equal((await fixture.stored(profile)).size, 2)
  })

  test('a checkpoint that does not advance fails the endpoint', async () => {
    const connector = await fixture.use('unmoved', {
      list: notes('/unmoved', {
        checkpoint: since<Note>({ param: 'since', value: ({ changed }) => changed as number }),
      }),
    })
    fixture.service.on('/unmoved', () => ({ body: { notes: someNotes(3) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).last_reason, 'checkpoint_stuck')
    assert.equal((await fixture.stored(profile)).size, 3)
    // An empty list has nothing to continue from, which is not a failure.
    const empty = await fixture.use('nothing', {
      list: notes('/nothing', { checkpoint: since<Note>({ param: 'since', value: ({ at }) => at }) }),
    })
    fixture.service.on('/nothing', () => ({ body: { notes: [] } }))
    const other = await fixture.connect(empty)
    await fixture.run(other)
    assert.equal((await fixture.progress(other, 'list')).state, 'done')
  })

  test('the next run fetches only newer records, and a record without a time does not change the watermark', async () => {
    const connector = await fixture.use('newer', {
      list: notes('/newer', {
        checkpoint: since<Note>({
          param: 'since',
          value: ({ at, nested }) => (nested as { at: number } | undefined)?.at ?? at! + 0,
        }),
      }),
    })
    fixture.service.on('/newer', () => ({
      body: { notes: [{ id: 'a', at: 100 }, null, 5, { id: 'b', nested: null, at: 200 }, { id: 'c' }] },
    }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    await fixture.sync(profile)
    assert.deepEqual(
      fixture.service.requestsTo('/newer').map(({ query }) => query['since']),
      [undefined, '200'],
    )
  })

  test('newest first ends where everything is known', async () => {
    let list = someNotes(40)
    const connector = await fixture.use('known', {
      list: notes('/known', {
        pages: numberPages({ param: 'page' }),
        checkpoint: untilKnown<Note>({ value: ({ at }) => at }),
      }),
    })
    fixture.service.on(
      '/known',
      paged(() => list, 10),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const before = fixture.service.requestsTo('/known').length
    list = [{ id: 'new', at: 1_700_000_001_000, text: 'new' }, ...list]
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile)).size, 41)
    assert.equal(fixture.service.requestsTo('/known').length - before, 2)
  })

  test('where pages come oldest first the watermark moves with each page', async () => {
    const list = someNotes(30).reverse()
    const connector = await fixture.use('oldest', {
      list: notes('/oldest', {
        pages: numberPages({ param: 'page' }),
        checkpoint: since<Note>({ param: 'since', value: ({ at }) => at, oldestFirst: true }),
      }),
    })
    fixture.service.on('/oldest', (asked) => {
      if (asked.query['page'] === '3') return { status: 500, body: {} }
      return paged(() => list, 10)(asked)
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const [row] = await fixture.sql<{ watermark: number }>(
      'select watermark from endpoint_sync where profile_id = $1',
      [profile.id],
    )
    assert.equal(row!.watermark, list[19]!.at)
    assert.equal((await fixture.progress(profile, 'list')).last_reason, 'service_failed')
  })

  test('a cursor that the service no longer knows is dropped at once, but only once; then waits grow', async () => {
    const connector = await fixture.use('lost', { list: notes('/lost', { pages: byCursor }) })
    const stopped = new AbortController()
    fixture.service.on('/lost', ({ query }) => {
      if (query['cursor'] === undefined) return { body: { notes: someNotes(1), next: 'x' } }
      stopped.abort()
      return { body: { notes: [] } }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile, stopped.signal)
    fixture.service.on('/lost', ({ query }) =>
      query['cursor'] === undefined
        ? { body: { notes: someNotes(2), next: 'x' } }
        : { status: 400, body: { error: 'cursor too old' } },
    )
    await fixture.run(profile)
    const [row] = await fixture.sql<{ walk: unknown; next_run_at: number }>(
      'select walk, next_run_at from endpoint_sync where profile_id = $1',
      [profile.id],
    )
    assert.equal(row!.walk, null)
    assert.ok(row!.next_run_at <= fixture.clock.now())
    await fixture.run(profile)
    assert.ok((await fixture.progress(profile, 'list')).next_run > fixture.clock.now() + 20_000)
    assert.deepEqual(
      fixture.service.requestsTo('/lost').map(({ query }) => query['cursor']),
      [undefined, 'x', 'x', undefined, 'x'],
    )
  })

  test('an error in a connector fails its endpoint; the others continue', async () => {
    const connector = await fixture.use('faulty', {
      begins: notes('/faulty', {
        prepare: () => {
          throw new TypeError('a mistake')
        },
      }),
      shapes: notes('/faulty', { items: () => ({ length: 3 }) as never }),
      throws: notes('/faulty', {
        items: (body) => (body as unknown as { missing: { notes: Note[] } }).missing.notes,
      }),
      turns: notes('/faulty', {
        pages: {
          first: (request) => request,
          next: () => {
            throw new TypeError('a mistake')
          },
        },
      }),
      works: notes('/faulty'),
    })
    fixture.service.on('/faulty', () => ({ body: { notes: someNotes(1) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'begins')).last_reason, 'connector_fault')
    for (const name of ['shapes', 'throws', 'turns'])
      assert.equal((await fixture.progress(profile, name)).last_reason, 'unexpected_answer', name)
    assert.equal((await fixture.stored(profile, 'works')).size, 1)
    assert.equal((await fixture.reload(profile)).state, 'active')
  })
})
