import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { kind } from '#kit/read/kind.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { eraseProfileItems } from '#store/items/items.ts'
import { type Fixture, keyOf, type Note, notes, openFixture } from '../engine-fixture.ts'

const AT = 1_700_000_000_000

suite('faults of readers', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const reading = (text: (note: Note) => string | undefined, version = 0) =>
    kind<Note>({ name: 'note', version, id: ({ id }) => id, at: ({ at }) => at, map: { text } })
  const shouts = reading(({ text }) => text!.toUpperCase())
  const faultsOf = async (profile: Profile) => (await fixture.progress(profile, 'list')).faults
  const warned = (profile: Profile) =>
    fixture.lines
      .map((line) => JSON.parse(line) as { level: string; message: string; profile?: string; fields?: object })
      .filter((line) => line.profile === profile.id && line.fields !== undefined)

  test('are stored with field, message and record, counted, and logged once per run', async () => {
    const pages: Note[][] = [
      [
        { id: '1', at: AT + 1, text: 'a' },
        { id: '2', at: AT + 2 },
      ],
      [
        { id: '3', at: AT + 3 },
        { id: '4', at: AT + 4 },
      ],
      [],
    ]
    const connector = await fixture.use('thrown', {
      list: notes('/thrown', { kind: shouts, pages: numberPages({ param: 'page' }) }),
    })
    fixture.service.on('/thrown', ({ query }) => ({ body: { notes: pages[Number(query['page']) - 1] } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const { state, faults } = await fixture.progress(profile, 'list')
    assert.equal(state, 'done', 'a field is lost, no record')
    assert.equal((await fixture.stored(profile)).size, 4)
    assert.equal(faults?.count, 3)
    assert.deepEqual(faults.latest.map(({ record }) => record).sort(), ['2', '3', '4'])
    for (const fault of faults.latest) {
      assert.deepEqual([fault.field, fault.kind, fault.times], ['map.text', 'note', 1])
      assert.match(fault.message, /^TypeError: .*toUpperCase/)
    }
    const [line, ...more] = warned(profile)
    assert.deepEqual([line?.level, line?.fields, more], ['warn', { 'map.text': 3 }, []])
  })

  test('are removed when the record is readable again: because it changed, or because the connector did', async () => {
    const list: Note[] = [{ id: '1' }, { id: '2' }]
    const connector = await fixture.use('fixed', { list: notes('/fixed', { kind: shouts }) })
    fixture.service.on('/fixed', () => ({ body: { notes: list } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await faultsOf(profile))?.count, 2)
    // Unchanged records are not read again, so their faults stay.
    await fixture.sync(profile)
    assert.deepEqual(
      (await faultsOf(profile))?.latest.map(({ times }) => times),
      [1, 1],
    )
    list[0] = { id: '1', text: 'here it is' }
    await fixture.sync(profile)
    assert.deepEqual(
      (await faultsOf(profile))?.latest.map(({ record }) => record),
      ['2'],
    )
    list[1] = { id: '2', at: AT }
    await fixture.sync(profile)
    assert.deepEqual(
      (await faultsOf(profile))?.latest.map(({ record, times }) => [record, times]),
      [['2', 2]],
    )
    await fixture.use('fixed', { list: notes('/fixed', { kind: reading(({ text }) => text?.toUpperCase(), 1) }) })
    // The record is read again from the store, not by a sync.
    await rereadProfiles(fixture.deps)
    assert.equal(await faultsOf(profile), undefined)
    const rows = await fixture.sql('select faults::int from endpoint_sync where profile_id = $1', [profile.id])
    assert.deepEqual(rows, [{ faults: 0 }])
  })

  test('are removed with a record that the service deleted, in both ways', async () => {
    let list: Note[] = [{ id: '1' }, { id: '2' }, { id: '3', text: 'a' }, { id: '4', text: 'b' }]
    const deleted = kind<Note>({
      name: 'note',
      id: ({ id }) => id,
      deleted: (note) => note.deleted === true,
      map: { text: ({ text }) => text!.toUpperCase() },
    })
    const connector = await fixture.use('removed', { list: notes('/removed', { kind: deleted, deletes: 'all' }) })
    fixture.service.on('/removed', () => ({ body: { notes: list } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    list = [{ id: '2', deleted: true }, ...list.slice(2)]
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile)).size, 2)
    assert.equal(await faultsOf(profile), undefined)
  })

  test('are bounded: the newest ten of an endpoint, a short message without secrets', async () => {
    const secret = 'tra_0123456789abcdefghijklmnop'
    const throws = reading(() => {
      throw new Error(`no luck with ${secret} ${'x'.repeat(10_000)}`)
    })
    const connector = await fixture.use('bounded', { list: notes('/bounded', { kind: throws }) })
    fixture.service.on('/bounded', () => ({
      body: { notes: Array.from({ length: 300 }, (_, i) => ({ id: `n${i}` })) },
    }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await faultsOf(profile))?.count, 300)
    const rows = await fixture.sql<{ message: string }>('select message from reader_fault where profile_id = $1', [
      profile.id,
    ])
    assert.equal(rows.length, 10)
    for (const { message } of rows) assert.ok(message.length <= 220 && !message.includes(secret), message)
    assert.ok(fixture.lines.every((line) => !line.includes(secret)))
  })

  test('whatever a reader throws, the record is stored', async () => {
    const odd: unknown[] = [undefined, null, 'a text', 7, { toString: 1 }, new Error('\0\ud800'), Object.create(null)]
    const throws = reading(({ id }) => {
      throw odd[Number(id)]
    })
    const connector = await fixture.use('odd-throws', { list: notes('/odd-throws', { kind: throws }) })
    fixture.service.on('/odd-throws', () => ({ body: { notes: odd.map((_, i) => ({ id: String(i) })) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await fixture.stored(profile)).size, odd.length)
    assert.equal((await faultsOf(profile))?.count, odd.length)
  })

  test('are removed with the profile', async () => {
    const connector = await fixture.use('leaving', { list: notes('/leaving', { kind: shouts }) })
    fixture.service.on('/leaving', () => ({ body: { notes: [{ id: '1' }] } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    await fixture.deps.database.transaction((tx) => eraseProfileItems(tx, keyOf(profile)))
    assert.deepEqual(await fixture.sql('select 1 from reader_fault where profile_id = $1', [profile.id]), [])
  })
})
