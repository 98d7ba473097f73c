import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Api } from '#kit/connector/connector.ts'
import { token, untilKnown } from '#kit/endpoints/checkpoint.ts'
import { cursorPages, linkPages, numberPages, offsetPages, type Pages } from '#kit/endpoints/pages.ts'
import { type Fixture, type Note, notes, openFixture, someNotes } from './engine-fixture.ts'
import type { ReceivedRequest } from './scripted-service.ts'

type Delta = { notes: Note[]; sync?: string; next?: string }

const recovery: Api['recovery'] = ({ status, body }) => {
  if (status === 410) return 'restart'
  return (body as { error?: string } | null)?.error === 'too much' ? 'smaller' : undefined
}
const byToken = token<Delta>({ param: 'sync', from: ({ sync }) => sync })
const byCursor = cursorPages({ param: 'cursor', from: (body: Delta) => body.next })

suite('a service that no longer knows the position', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('is read from the beginning, at once, and what is gone meanwhile is deleted', async () => {
    const list = notes('/expired', { checkpoint: byToken, pages: byCursor, deletes: 'all', wholeEvery: '365d' })
    const profile = await fixture.connect(await fixture.use('expired', { list }, { api: { recovery } }))
    let all = someNotes(5)
    let known = 'one'
    fixture.service.on('/expired', ({ query }) => {
      if (query['sync'] !== undefined && query['sync'] !== known) return { status: 410, body: {} }
      return { body: { notes: query['sync'] === undefined ? all : [], sync: known } }
    })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 5)
    known = 'two'
    all = all.slice(1)
    await fixture.sync(profile)
    const after = await fixture.progress(profile, 'list')
    assert.deepEqual([after.state, after.last_reason], ['done', undefined], 'a first restart is not a failure')
    assert.ok(after.next_run <= fixture.clock.now())
    await fixture.run(profile)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], ['2', '3', '4', '5'])
    await fixture.sync(profile)
    assert.equal(fixture.service.requestsTo('/expired').at(-1)!.query['sync'], 'two')
  })

  test('in the middle of a walk: the walk begins again and ends', async () => {
    const pages = numberPages({ param: 'page' })
    const profile = await fixture.connect(
      await fixture.use('cursor-gone', { list: notes('/cursor-gone', { pages }) }, { api: { recovery } }),
    )
    let isGone = true
    fixture.service.on('/cursor-gone', ({ query }) => {
      const page = Number(query['page'])
      if (page === 2 && isGone) {
        isGone = false
        return { status: 410, body: {} }
      }
      return { body: { notes: someNotes(10).slice((page - 1) * 5, page * 5) } }
    })
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 5, 'what was read before is stored')
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 10)
    assert.equal((await fixture.progress(profile, 'list')).state, 'done')
  })

  test('one that always asks for a restart is failing and waits longer each time', async () => {
    const pages = numberPages({ param: 'page' })
    const profile = await fixture.connect(
      await fixture.use('restless', { list: notes('/restless', { pages }) }, { api: { recovery } }),
    )
    fixture.service.on('/restless', ({ query }) =>
      query['page'] === '1' ? { body: { notes: someNotes(5) } } : { status: 410, body: {} },
    )
    await fixture.run(profile)
    await fixture.run(profile)
    const failing = await fixture.progress(profile, 'list')
    assert.deepEqual([failing.state, failing.last_reason], ['failing', 'position_lost'])
    assert.ok(failing.next_run > fixture.clock.now())
    const asked = fixture.service.requestsTo('/restless').length
    assert.equal(asked, 4)
    await fixture.run(profile)
    assert.equal(fixture.service.requestsTo('/restless').length, asked, 'not before its time')
    const waits: number[] = []
    for (let i = 0; i < 4; i += 1) {
      fixture.clock.offsetMs += 86_400_000
      await fixture.run(profile)
      waits.push((await fixture.progress(profile, 'list')).next_run - fixture.clock.now())
    }
    assert.ok(waits.at(-1)! > waits[0]!, String(waits))
  })

  test('one that asks for a restart of the first page has nothing to forget: it is failing', async () => {
    const profile = await fixture.connect(
      await fixture.use('never', { list: notes('/never', { checkpoint: byToken }) }, { api: { recovery } }),
    )
    fixture.service.on('/never', () => ({ status: 410, body: {} }))
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).state, 'failing')
    assert.equal(fixture.service.requestsTo('/never').length, 1)
  })
})

suite('a service that asks for smaller pages', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const SIZE = { param: 'limit', value: 40 }
  type Linked = { notes: Note[]; next?: string; link?: string }

  const WAYS: Record<string, { pages: Pages; from: (query: Record<string, string>) => number }> = {
    offset: {
      pages: offsetPages({ param: 'offset', size: SIZE }),
      from: (query) => Number(query['offset']),
    },
    number: {
      pages: numberPages({ param: 'page', size: SIZE }),
      from: (query) => (Number(query['page']) - 1) * Number(query['limit']),
    },
    cursor: {
      pages: cursorPages({ param: 'after', from: (body: Linked) => body.next, size: SIZE }),
      from: (query) => Number(query['after'] ?? 0),
    },
    link: {
      pages: linkPages({ from: (body: Linked) => body.link, size: SIZE }),
      from: (query) => Number(query['after'] ?? 0),
    },
  }

  /** Pages of any size, of which those with more records than allowed are refused. */
  const served =
    (path: string, all: Note[], mayHave: () => number, from: (query: Record<string, string>) => number) =>
    ({ query }: ReceivedRequest) => {
      const limit = Number(query['limit'])
      const slice = all.slice(from(query), from(query) + limit)
      if (slice.length > mayHave()) return { status: 500, body: { error: 'too much' } }
      const end = from(query) + slice.length
      const more = end < all.length
      const link = `${fixture.service.url}${path}?after=${end}&limit=40`
      return { body: { notes: slice, ...(more ? { next: String(end), link } : {}) } }
    }

  for (const [way, { pages, from }] of Object.entries(WAYS))
    test(`gets half of it, and the rest of the walk too: by ${way}`, async () => {
      const path = `/heavy-${way}`
      const connector = await fixture.use(
        `heavy-${way}`,
        { list: notes(path, { pages, deletes: 'all' }) },
        { api: { recovery } },
      )
      let allowed = 12
      fixture.service.on(
        path,
        served(path, someNotes(100), () => allowed, from),
      )
      const profile = await fixture.connect(connector)
      await fixture.run(profile)
      assert.equal((await fixture.stored(profile)).size, 100)
      assert.equal((await fixture.progress(profile, 'list')).state, 'done')
      const sizes = () => fixture.service.requestsTo(path).map(({ query }) => Number(query['limit']))
      assert.deepEqual(sizes().slice(0, 3), [40, 20, 10])
      assert.ok(
        sizes()
          .slice(2)
          .every((size) => size === 10),
        String(sizes()),
      )
      // The next walk tries twice as much, and the one after that the endpoint's own size.
      allowed = 1000
      const second = sizes().length
      await fixture.sync(profile)
      assert.ok(
        sizes()
          .slice(second)
          .every((size) => size === 20),
        String(sizes().slice(second)),
      )
      const third = sizes().length
      await fixture.sync(profile)
      assert.ok(
        sizes()
          .slice(third)
          .every((size) => size === 40),
        String(sizes().slice(third)),
      )
      assert.equal((await fixture.stored(profile)).size, 100)
    })

  test('continues with the smaller size after an interruption', async () => {
    const { pages, from } = WAYS['offset']!
    const connector = await fixture.use('heavy-cut', { list: notes('/heavy-cut', { pages }) }, { api: { recovery } })
    const stopped = new AbortController()
    const serve = served('/heavy-cut', someNotes(60), () => 12, from)
    fixture.service.on('/heavy-cut', (request) => {
      if (request.query['offset'] === '30') stopped.abort()
      return serve(request)
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile, stopped.signal)
    const asked = fixture.service.requestsTo('/heavy-cut').length
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 60)
    const resumed = fixture.service.requestsTo('/heavy-cut').slice(asked)
    assert.ok(resumed.every(({ query }) => query['limit'] === '10'))
  })

  test('one that refuses even one record is failing, after as many calls as there are halves', async () => {
    const { pages } = WAYS['cursor']!
    const connector = await fixture.use('refuses', { list: notes('/refuses', { pages }) }, { api: { recovery } })
    fixture.service.on('/refuses', () => ({ status: 500, body: { error: 'too much' } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const failing = await fixture.progress(profile, 'list')
    assert.deepEqual([failing.state, failing.last_reason], ['failing', 'page_too_large'])
    assert.ok(failing.next_run > fixture.clock.now())
    const sizes = fixture.service.requestsTo('/refuses').map(({ query }) => query['limit'])
    assert.deepEqual(sizes, ['40', '20', '10', '5', '2', '1'])
  })

  test('an endpoint without a page size fails as a fault of the connector', async () => {
    const connector = await fixture.use('unsized', { list: notes('/unsized') }, { api: { recovery } })
    fixture.service.on('/unsized', () => ({ status: 500, body: { error: 'too much' } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).last_reason, 'connector_fault')
  })
})

suite('everything once in a while', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const DAY_MS = 86_400_000
  const newest = untilKnown<Note>({ value: ({ at }) => at })
  const whole = { checkpoint: newest, deletes: 'all', wholeEvery: '7d', pages: numberPages({ param: 'page' }) } as const
  const pagesAsked = (path: string, from: number) =>
    fixture.service
      .requestsTo(path)
      .slice(from)
      .map(({ query }) => query['page'])
  const paged = (all: () => Note[]) => (request: ReceivedRequest) => {
    const page = Number(request.query['page'])
    return { body: { notes: all().slice((page - 1) * 5, page * 5) } }
  }

  test('the newest often, everything after the period, and then deletes are found', async () => {
    let all = someNotes(20)
    fixture.service.on(
      '/weekly',
      paged(() => all),
    )
    const profile = await fixture.connect(await fixture.use('weekly', { list: notes('/weekly', whole) }))
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, 20)
    all = [{ id: 'new', at: 1_700_000_001_000 }, ...all.filter(({ id }) => id !== '17')]
    let asked = fixture.service.requestsTo('/weekly').length
    await fixture.sync(profile)
    assert.deepEqual(pagesAsked('/weekly', asked), ['1', '2'], 'ends where everything is known')
    assert.equal((await fixture.stored(profile)).size, 21, 'nothing is deleted that was not listed')
    fixture.clock.offsetMs += 7 * DAY_MS
    asked = fixture.service.requestsTo('/weekly').length
    await fixture.sync(profile)
    assert.deepEqual(pagesAsked('/weekly', asked), ['1', '2', '3', '4', '5'])
    assert.equal((await fixture.stored(profile)).has('17'), false)
    assert.equal((await fixture.stored(profile)).size, 20)
    asked = fixture.service.requestsTo('/weekly').length
    await fixture.sync(profile)
    assert.deepEqual(pagesAsked('/weekly', asked), ['1', '2'], 'and the newest again')
  })

  test('an interrupted walk over everything continues and still finds deletes', async () => {
    let all = someNotes(20)
    fixture.service.on(
      '/weekly-cut',
      paged(() => all),
    )
    const profile = await fixture.connect(await fixture.use('weekly-cut', { list: notes('/weekly-cut', whole) }))
    await fixture.run(profile)
    all = all.filter(({ id }) => id !== '18')
    fixture.clock.offsetMs += 7 * DAY_MS
    let fails = true
    const serve = paged(() => all)
    fixture.service.on('/weekly-cut', (request) => {
      if (request.query['page'] === '3' && fails) return { status: 503, headers: { 'retry-after': '60' }, body: {} }
      return serve(request)
    })
    await fixture.sync(profile)
    fails = false
    assert.equal((await fixture.stored(profile)).has('18'), true)
    fixture.clock.offsetMs += 3_600_000
    const asked = fixture.service.requestsTo('/weekly-cut').length
    await fixture.sync(profile)
    assert.equal(pagesAsked('/weekly-cut', asked)[0], '3', 'where it stopped')
    assert.equal((await fixture.stored(profile)).has('18'), false)
  })

  test('an unchanged first page does not end it', async () => {
    let all = someNotes(15)
    fixture.service.on('/weekly-etag', (request) => {
      if (request.headers['if-none-match'] === '"same"') return { status: 304 }
      return { ...paged(() => all)(request), headers: { etag: '"same"' } }
    })
    const profile = await fixture.connect(await fixture.use('weekly-etag', { list: notes('/weekly-etag', whole) }))
    await fixture.run(profile)
    await fixture.sync(profile)
    all = all.filter(({ id }) => id !== '12')
    fixture.clock.offsetMs += 7 * DAY_MS
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile)).has('12'), false)
  })

  test('suspected deletes stay suspected between two walks over everything, and a confirmation does not wait', async () => {
    let all = someNotes(40)
    fixture.service.on(
      '/weekly-half',
      paged(() => all),
    )
    const profile = await fixture.connect(await fixture.use('weekly-half', { list: notes('/weekly-half', whole) }))
    await fixture.run(profile)
    all = all.slice(0, 15)
    fixture.clock.offsetMs += 7 * DAY_MS
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, 25)
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, 25)
    await fixture.sync(profile, { confirmDeletes: true })
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, undefined)
    assert.equal((await fixture.stored(profile)).size, 15)
  })
})
