import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Reader } from '../fixture.ts'
import type { Thing } from '../thing.ts'
import { type ChangesHarness, catchUp, Follower, short, startChangesHarness, writeThings } from './changes-fixture.ts'

let harness: ChangesHarness
before(async () => {
  harness = await startChangesHarness()
})
after(() => harness.stop())

const thing = (id: string, at = 1, more: Partial<Thing> = {}): Thing => ({ id, at, types: ['photos'], ...more })
const things = (from: number, to: number, more: Partial<Thing> = {}) =>
  Array.from({ length: to - from }, (_, i) => thing(`t${from + i}`, from + i, more))
const next = async (reader: Reader, follower: Follower, limit?: number) =>
  (await catchUp(harness, follower, reader, limit)).map(short)
const refusal = async (reader: Pick<Reader, 'token'>, query: string) => {
  const { status, body } = await harness.request(`/changes?${query}`, reader)
  return [status, (body as { reason: string }).reason, (body as { error: string }).error] as const
}

suite('GET /changes', () => {
  test('gives items and deletions in the order of change; each item at its newest place', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    const follower = new Follower()
    assert.deepEqual(await next(reader, follower), [])
    await harness.write(profile, [thing('a', 3), thing('b', 2), thing('c', 1)])
    await harness.write(profile, [thing('a', 3, { text: 'x' })])
    assert.deepEqual(await next(reader, follower), ['+b', '+c', '+a'])
    assert.deepEqual(await next(reader, follower), [])
    // Nothing changes for equal content.
    await harness.write(profile, [thing('b', 2)])
    assert.deepEqual(await next(reader, follower), [])
    await harness.drop(profile, ['b'])
    await harness.write(profile, [thing('d')])
    await harness.drop(profile, ['d'])
    await harness.write(profile, [thing('d', 5)])
    assert.deepEqual(await next(reader, follower), ['-b', '-d', '+d'])
    assert.deepEqual(await next(reader, new Follower()), ['+c', '+a', '+d'], 'no old deletions from the beginning')
  })

  test('an item is as elsewhere, with map, fields and select; a deletion has id, IDR and time', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, [thing('a b', 3, { text: 'Hello', big: 1 })])
    const [item] = await harness.items('/types/photos', reader)
    const page = await harness.page(reader)
    assert.deepEqual(page.changes, [{ change: 'upsert', item }])
    assert.deepEqual([typeof page.cursor, page.more], ['string', false])
    const [whole] = await harness.items('/types/photos?map=true', reader)
    assert.deepEqual((await harness.page(reader, 'map=true')).changes, [{ change: 'upsert', item: whole }])
    const flat = { 'data.text': 'Hello', 'map.text': 'Hello', 'data.no': null }
    assert.deepEqual((await harness.page(reader, 'fields=data.text,map.text,data.no')).changes, [
      { change: 'upsert', item: flat },
    ])
    assert.deepEqual((await harness.page(reader, 'select=data.text,id')).changes, [
      { change: 'upsert', item: { id: item!.id, data: { text: 'Hello' } } },
    ])
    const began = Date.now()
    await harness.drop(profile, ['a b'])
    const [deletion, ...rest] = (await harness.page(reader, `cursor=${page.cursor}`)).changes
    assert.deepEqual(rest, [])
    assert.ok(deletion?.change === 'delete')
    assert.deepEqual([deletion.id, deletion.idr], [item!.id, item!.idr])
    assert.ok(deletion.deleted_at >= began && deletion.deleted_at <= Date.now())
    assert.deepEqual(Object.keys(deletion), ['change', 'id', 'idr', 'deleted_at'])
  })

  test('cursor=now begins at the present', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 5))
    const page = await harness.page(reader, 'cursor=now')
    assert.deepEqual([page.changes, page.more], [[], false])
    await harness.drop(profile, ['t1'])
    await harness.write(profile, [thing('t2', 9)])
    const later = await harness.page(reader, `cursor=${page.cursor}`)
    assert.deepEqual(later.changes.map(short), ['-t1', '+t2'])
    const other = await harness.newProfile(reader, 'museum')
    await harness.write(other, [thing('m')])
    assert.deepEqual((await harness.page(reader, `cursor=${later.cursor}`)).changes.map(short), ['+m'])
  })

  test('several profiles are read in the order of time, page by page, and none is left behind', async () => {
    const reader = await harness.newReader()
    const [one, two] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const began = Date.now() - 100_000
    for (let i = 0; i < 12; i += 1)
      await harness.write(i % 3 === 0 ? one : two, [thing(`t${i}`)], 'things', began + i * 1000)
    for (const limit of [1, 5, 12, 100])
      assert.deepEqual(
        await next(reader, new Follower(), limit),
        Array.from({ length: 12 }, (_, i) => `+t${i}`),
        String(limit),
      )
    // A clock that goes back changes nothing in the order within a profile.
    await harness.write(one, [thing('back')], 'things', 1000)
    await harness.write(one, [thing('forth')], 'things', began)
    for (const limit of [1, 3]) {
      const read = await next(reader, new Follower(), limit)
      assert.equal(read.length, 14)
      const ofOne = read.filter((entry) => ['+t0', '+t3', '+t6', '+t9', '+back', '+forth'].includes(entry))
      assert.deepEqual(ofOne, ['+t0', '+t3', '+t6', '+t9', '+back', '+forth'])
    }
  })

  test('a page holds at most limit changes and a bounded number of bytes', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 12, { text: 'x'.repeat(900_000) }))
    const first = await harness.page(reader)
    assert.deepEqual([first.changes.length, first.more], [4, true])
    const follower = new Follower()
    assert.equal((await next(reader, follower, 1000)).length, 12)
    assert.equal(follower.items.size, 12)
  })

  test('what changes while the pages are read is not missed', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, things(0, 10))
    const follower = new Follower()
    follower.apply(await harness.page(reader, follower.query(4)))
    await harness.drop(profile, ['t1'])
    await harness.drop(profile, ['t8'])
    await harness.write(profile, [thing('t2', 2, { text: 'new' }), thing('t9', 9, { text: 'new' })])
    assert.deepEqual(await next(reader, follower, 4), ['+t4', '+t5', '+t6', '+t7', '-t1', '-t8', '+t2', '+t9'])
    assert.equal(follower.items.size, 8)
  })

  test('a transaction that is still open holds up the changes after it, and only in its own profile', async () => {
    const reader = await harness.newReader()
    const [one, two] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const { database } = harness.tributary.store
    const follower = new Follower()
    const written = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const first = database.transaction(async (tx) => {
      await writeThings(tx, one, [thing('first')], 'things', Date.now())
      written.resolve()
      await mayCommit.promise
    })
    await written.promise
    const second = harness.write(one, [thing('second')])
    await harness.write(two, [thing('other')])
    assert.deepEqual(await next(reader, follower), ['+other'])
    mayCommit.resolve()
    await Promise.all([first, second])
    assert.deepEqual(await next(reader, follower), ['+first', '+second'])
  })

  test('writers in parallel: a reader that pages all the time ends with what is stored', async () => {
    const reader = await harness.newReader()
    const profiles = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    const follower = new Follower()
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, w) => {
        for (let i = 0; i < 15; i += 1) {
          const profile = profiles[(w + i) % 2]!
          if (i % 5 === 4) await harness.drop(profile, [`w${w} ${i - 2}`])
          else
            await harness.write(profile, [thing(`w${w} ${i}`, i), thing(`shared ${i % 3}`, i, { text: `${w} ${i}` })])
        }
      }),
    )
    const ended = writing.then(() => 'ended')
    do follower.apply(await harness.page(reader, follower.query(3)))
    while ((await Promise.race([ended, setImmediate('open')])) === 'open')
    await next(reader, follower, 3)
    const listed = await harness.items('/types/photos?limit=10000', reader)
    const byId = (items: { id: string; data: Thing }[]) => Object.fromEntries(items.map(({ id, data }) => [id, data]))
    assert.deepEqual(byId([...follower.items.values()]), byId(listed))
  })
})

suite('GET /changes with a filter', () => {
  test('types: only items that have one; an item that loses it is a deletion', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    await harness.write(profile, [
      thing('p'),
      thing('s', 2, { types: ['statuses'] }),
      thing('e', 3, { types: ['events'] }),
    ])
    const follower = new Follower('types=photos,statuses')
    assert.deepEqual(await next(reader, follower), ['+p', '+s'])
    await harness.write(profile, [thing('p', 1, { types: ['events'] }), thing('e', 3, { types: ['photos'] })])
    assert.deepEqual(await next(reader, follower), ['-p', '+e'])
    await harness.drop(profile, ['e'])
    assert.deepEqual(await next(reader, follower), ['-e'])
    assert.deepEqual(
      [...follower.items.values()].map(({ data }) => data.id),
      ['s'],
    )
  })

  test('types: few among many are found, and the page says that there is more until the end is reached', async () => {
    const reader = await harness.newReader()
    const profile = await harness.newProfile(reader)
    for (let i = 0; i < 3; i += 1)
      await harness.write(profile, things(i * 1000, i * 1000 + 1000, { types: ['statuses'] }))
    await harness.write(profile, [thing('rare')])
    assert.deepEqual(await next(reader, new Follower('types=photos'), 2), ['+rare'])
    assert.deepEqual(await next(reader, new Follower('types=events'), 2), [])
    assert.equal((await next(reader, new Follower('types=all'), 1000)).length, 3001)
  })

  test('services: only profiles of these', async () => {
    const reader = await harness.newReader()
    const [one, two] = [await harness.newProfile(reader), await harness.newProfile(reader, 'museum')]
    await harness.write(one, [thing('l')])
    await harness.write(two, [thing('m')])
    await harness.post(reader, [{ id: 'n' }])
    assert.deepEqual(await next(reader, new Follower('services=museum')), ['+m'])
    assert.deepEqual(await next(reader, new Follower('services=self')), ['+n'])
    assert.deepEqual(await next(reader, new Follower('services=ada@library,museum')), ['+l', '+m'])
    assert.deepEqual(await next(reader, new Follower('services=ben@library')), [])
  })

  test('a cursor continues only with the filter it began with', async () => {
    const reader = await harness.newReader()
    const { cursor } = await harness.page(reader, 'types=photos&services=library')
    await harness.page(reader, `types=photos&services=library&cursor=${cursor}&limit=5&map=true`)
    for (const query of ['', 'types=photos', 'types=statuses&services=library', 'types=photos&services=museum']) {
      const [status, reason, error] = await refusal(reader, `${query}&cursor=${cursor}`)
      assert.deepEqual([status, reason], [400, 'bad_parameter'])
      assert.match(error, /^cursor: belongs to other types or services/)
    }
  })
})
