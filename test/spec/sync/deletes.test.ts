import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { type Fixture, type Note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

suite('items deleted at the service', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  /** A service with one list that the test changes. */
  async function listed(name: string, list: Note[], deletes: 'all' | 'window' | 'none' = 'all') {
    const holder = { list }
    const connector = await fixture.use(name, {
      list: notes(`/${name}`, { deletes, pages: numberPages({ param: 'page' }) }),
    })
    fixture.service.on(
      `/${name}`,
      paged(() => holder.list, 10),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    return { holder, profile, ids: async () => [...(await fixture.stored(profile)).keys()] }
  }

  test('a few are removed, each leaves a tombstone with a seq, and the count follows', async () => {
    const { holder, profile, ids } = await listed('few', someNotes(30))
    holder.list = holder.list.filter(({ id }) => !['3', '17', '30'].includes(String(id)))
    await fixture.sync(profile)
    assert.equal((await ids()).length, 27)
    const deleted = await fixture.sql<{ native_id: string; seq: number }>(
      'select native_id, seq from item_tombstone where profile_id = $1 order by seq',
      [profile.id],
    )
    assert.deepEqual(deleted.map(({ native_id }) => native_id).sort(), ['17', '3', '30'])
    assert.deepEqual(
      deleted.map(({ seq }) => seq),
      [31, 32, 33],
    )
    assert.equal((await fixture.progress(profile, 'list')).items, 27)
  })

  test('P10 half of them, or all, are kept and reported until confirmed; then the next run removes them', async () => {
    for (const [name, left] of [
      ['half', 20],
      ['none-left', 0],
    ] as const) {
      const { holder, profile, ids } = await listed(name, someNotes(40))
      holder.list = holder.list.slice(0, left)
      await fixture.sync(profile)
      await fixture.sync(profile)
      assert.equal((await ids()).length, 40)
      assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, 40 - left)
      await fixture.sync(profile, { confirmDeletes: true })
      assert.equal((await ids()).length, left)
      const progress = await fixture.progress(profile, 'list')
      assert.equal(progress.suspect_deletes, undefined)
      assert.equal(progress.items, left)
      // The confirmation counts for one run.
      holder.list = someNotes(40)
      await fixture.sync(profile)
      holder.list = []
      await fixture.sync(profile)
      assert.equal((await ids()).length, 40)
    }
  })

  test('P10 an error page with status 200, or a list that breaks off, removes nothing and is reported', async () => {
    const { profile, ids } = await listed('page-as-200', someNotes(37))
    const whole = paged(() => someNotes(37), 10)
    for (const [broken, body, reason] of [
      ['1', '<!doctype html><h1>Be right back</h1>', 'answer_unreadable'],
      ['3', '<!doctype html><h1>Be right back</h1>', 'answer_unreadable'],
      ['3', '{"notes":[{"id":"21"', 'answer_unreadable'],
      // Seven of so many would be plausible.
      ['4', { error: 'try later' }, undefined],
    ] as const) {
      fixture.service.on('/page-as-200', (request) => (request.query['page'] === broken ? { body } : whole(request)))
      await fixture.sync(profile)
      assert.equal((await ids()).length, 37)
      const progress = await fixture.progress(profile, 'list')
      assert.equal(progress.last_reason, reason)
      assert.equal(progress.suspect_deletes, undefined)
    }
    fixture.service.on('/page-as-200', whole)
    await fixture.sync(profile)
    assert.equal((await ids()).length, 37)
    assert.equal((await fixture.progress(profile, 'list')).last_error, undefined)
  })

  test('an item that reappears is no longer suspect', async () => {
    const { holder, profile } = await listed('back', someNotes(12))
    const whole = holder.list
    holder.list = []
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, 12)
    holder.list = whole
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, undefined)
    assert.equal((await fixture.progress(profile, 'list')).items, 12)
  })

  test('without a deletes rule nothing is ever removed', async () => {
    const { holder, profile, ids } = await listed('keeps', someNotes(5), 'none')
    holder.list = holder.list.slice(0, 4)
    await fixture.sync(profile, { confirmDeletes: true })
    assert.equal((await ids()).length, 5)
  })

  test('a record that can no longer be stored still counts as shown: its stored version stays', async () => {
    const { holder, profile } = await listed('grown', someNotes(5))
    holder.list = holder.list.with(2, { ...holder.list[2]!, text: 'x'.repeat(1_100_000) })
    await fixture.sync(profile)
    const stored = await fixture.stored(profile)
    assert.equal(stored.size, 5)
    assert.match(stored.get('3')!.data, /note 3/)
  })

  test('a page with unidentified records does not prove that anything is deleted', async () => {
    const { holder, profile, ids } = await listed('unidentified', someNotes(5))
    holder.list = holder.list.map((each) => (each.id === '2' ? ({ ...each, id: undefined } as unknown as Note) : each))
    await fixture.sync(profile)
    assert.equal((await ids()).length, 5)
    assert.equal((await fixture.progress(profile, 'list')).quarantined, 1)
  })

  test('in a window, only items that should have been shown again count as deleted', async () => {
    let list = someNotes(50)
    const connector = await fixture.use('window', {
      list: notes('/window', {
        deletes: 'window',
        pages: numberPages({ param: 'page' }),
        checkpoint: untilKnown<Note>({ value: ({ at }) => at, overlap: 5000 }),
      }),
    })
    fixture.service.on(
      '/window',
      paged(() => list, 10),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    // Number 5 is within the window of a run, number 45 is far outside.
    list = list.filter(({ id }) => !['5', '45'].includes(String(id)))
    await fixture.sync(profile)
    const ids = [...(await fixture.stored(profile)).keys()]
    assert.equal(ids.length, 49)
    assert.ok(!ids.includes('5'))
    assert.ok(ids.includes('45'))
  })

  test('an unchanged response does not confirm suspect deletes', async () => {
    let list = someNotes(30)
    const connector = await fixture.use('tagged', { list: notes('/tagged', { deletes: 'all' }) })
    fixture.service.on('/tagged', ({ headers }) => {
      const etag = `"${list.length}"`
      return headers['if-none-match'] === etag
        ? { status: 304, headers: { etag } }
        : { headers: { etag }, body: { notes: list } }
    })
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    list = list.slice(0, 2)
    await fixture.sync(profile)
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).suspect_deletes, 28)
    await fixture.sync(profile, { confirmDeletes: true })
    assert.equal((await fixture.stored(profile)).size, 2)
  })
})
