import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'
import { listQuarantine } from '#store/sync/quarantine.ts'
import { type Fixture, keyOf, type Note, notes, openFixture } from '../engine-fixture.ts'

function deep(levels: number): string {
  return `${'{"in":'.repeat(levels)}1${'}'.repeat(levels)}`
}

suite('S48 bad records', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('each is quarantined with its reason, the others are stored, and the walk continues', async () => {
    const pages = [
      `{"notes":[{"id":"1","at":1},null,7,"text",["list"],{"at":2},{"id":null},{"id":""},{"id":1e300},{"id":"2","at":2}]}`,
      `{"notes":[{"id":"deep","x":${deep(70)}},{"id":"large","x":"${'é'.repeat(600_000)}"},{"id":"3","at":3,"x":${deep(60)}}]}`,
      '{"notes":[{"id":"4","at":4}]}',
      '{"notes":[]}',
    ]
    const connector = await fixture.use('bad', { list: notes('/bad', { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on('/bad', ({ query }) => ({ body: pages[Number(query['page']) - 1] }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], ['1', '2', '3', '4'])
    const progress = await fixture.progress(profile, 'list')
    assert.equal(progress.state, 'done')
    assert.equal(progress.quarantined, 10)
    const samples = await listQuarantine(fixture.deps.database, keyOf(profile), 'list')
    const reasons = Object.groupBy(samples, ({ reason }) => reason)
    assert.equal(reasons['not an object']?.length, 4)
    assert.equal(reasons['no usable id']?.length, 4)
    assert.equal(reasons['nested deeper than 64']?.length, 1)
    assert.equal(reasons['larger than 1 MB']?.length, 1)
    assert.ok(samples.every(({ sample }) => sample.length <= 16_000))
    assert.deepEqual(
      samples.filter(({ isWhole }) => !isWhole).map(({ reason }) => reason),
      ['larger than 1 MB'],
    )
    // Seeing them again changes nothing.
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'list')).quarantined, 10)
    const again = await listQuarantine(fixture.deps.database, keyOf(profile), 'list')
    assert.ok(again.every(({ times }) => times === 2))
  })

  test('at most a hundred samples of an endpoint are stored', async () => {
    const connector = await fixture.use('many', { list: notes('/many') })
    fixture.service.on('/many', () => ({
      body: { notes: Array.from({ length: 150 }, (_, i) => ({ text: `no id ${i}` })) },
    }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await listQuarantine(fixture.deps.database, keyOf(profile), 'list')).length, 100)
    const { quarantined, quarantine } = await fixture.progress(profile, 'list')
    assert.deepEqual([quarantined, quarantine?.length], [100, 3])
  })

  test('only the record that the database refuses is quarantined', async () => {
    const connector = await fixture.use('refused', {
      list: notes('/refused'),
    })
    fixture.service.on('/refused', () => ({
      body: { notes: [...Array.from({ length: 9 }, (_, i) => ({ id: `n${i}` })), { id: 'tiny' }] },
    }))
    const profile = await fixture.connect(connector)
    await fixture.sql(`alter table item add constraint no_tiny check (native_id <> 'tiny')`)
    try {
      await fixture.run(profile)
      const stored = await fixture.stored(profile)
      assert.equal(stored.size, 9)
      assert.ok(!stored.has('tiny'))
      const [bad] = await listQuarantine(fixture.deps.database, keyOf(profile), 'list')
      assert.deepEqual([bad!.reason, bad!.sample], ['the database refused it', '{"id":"tiny"}'])
      assert.equal((await fixture.progress(profile, 'list')).items, 9)
    } finally {
      await fixture.sql('alter table item drop constraint no_tiny')
    }
  })

  test('participant ids that are too long for an index are left out, the record is stored', async () => {
    const connector = await fixture.use('people', {
      list: notes('/people', {
        kind: kind<Note>({
          name: 'note',
          id: ({ id }) => id,
          participants: ({ who }) => ({ author: 'ada', others: who as string[] }),
          map: {},
        }),
      }),
    })
    fixture.service.on('/people', () => ({ body: { notes: [{ id: '1', who: ['ben', 'x'.repeat(9000)] }] } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const rows = await fixture.sql('select participants, author from item where profile_id = $1', [profile.id])
    assert.deepEqual(rows, [{ participants: ['ada', 'ben'], author: 'ada' }])
  })

  test('a reader that throws loses that one field', async () => {
    const connector = await fixture.use('readers', {
      list: notes('/readers', {
        kind: kind<Note>({
          name: 'note',
          id: ({ id }) => id,
          at: ({ when }) => (when as { ms: number }).ms,
          map: { text: ({ text }) => text!.toUpperCase() },
        }),
      }),
    })
    fixture.service.on('/readers', () => ({
      body: { notes: [{ id: '1', text: 'a', when: { ms: 1_500_000_000_000 } }, { id: '2' }] },
    }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.progress(profile, 'list')).faults?.count, 2)
    const stored = await fixture.stored(profile)
    assert.equal(stored.get('1')!.at, 1_500_000_000_000)
    assert.ok(stored.get('2')!.at > 1_700_000_000_000)
  })

  test('unusual texts are stored unchanged: NUL, lone surrogates, keys such as __proto__', async () => {
    const record =
      '{"id":"a\\u0000b","at":1,"text":"\\ud800 \\u0000","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const connector = await fixture.use('odd', { list: notes('/odd') })
    fixture.service.on('/odd', () => ({ body: `{"notes":[${record},{"id":"prototype","__proto__":null}]}` }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const stored = await fixture.stored(profile)
    assert.equal(stored.size, 2)
    assert.equal(stored.get('a\ufffdb')!.data, record)
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
    const before = await fixture.stored(profile)
    await fixture.sync(profile)
    assert.deepEqual(await fixture.stored(profile), before)
  })
})
