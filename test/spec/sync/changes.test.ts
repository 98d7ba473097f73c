import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { resetSync } from '#flows/sync/progress.ts'
import { rereadProfiles } from '#flows/sync/reread/reread-profiles.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import type { Profile } from '#model/accounts/profile.ts'
import { type Fixture, type Note, note, notes, openFixture, paged, someNotes } from './engine-fixture.ts'

suite('what a run writes', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const seqOf = async (profile: Profile) =>
    (await fixture.sql<{ seq: number }>('select seq from profile_sync where profile_id = $1', [profile.id]))[0]!.seq

  test('a second run over the same data writes nothing, and an edit writes that one item', async () => {
    let list = someNotes(25)
    const connector = await fixture.use('same', { list: notes('/same', { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on(
      '/same',
      paged(() => list, 10),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const first = await fixture.stored(profile)
    assert.equal(first.size, 25)
    const seq = await seqOf(profile)
    assert.equal(seq, 25)

    await fixture.sync(profile)
    assert.deepEqual(await fixture.stored(profile), first)
    assert.equal(await seqOf(profile), seq)

    list = list.with(7, { ...list[7]!, text: 'edited' })
    await fixture.sync(profile)
    const third = await fixture.stored(profile)
    const { seq: newSeq, updated_at: updatedAt, data } = third.get('8')!
    assert.equal(newSeq, 26)
    assert.ok(updatedAt > first.get('8')!.updated_at)
    assert.match(data, /edited/)
    third.set('8', first.get('8')!)
    assert.deepEqual(third, first)
    assert.equal((await fixture.progress(profile, 'list')).items, 25)
  })

  test('a kind whose readers changed is read again, once', async () => {
    const use = (version: number, text: (raw: Note) => string) =>
      fixture.use('reread', { list: notes('/reread', { kind: { ...note, version, map: { text } } }) })
    fixture.service.on('/reread', () => ({ body: { notes: someNotes(3) } }))
    const profile = await fixture.connect(await use(0, ({ text }) => text ?? ''))
    await fixture.run(profile)
    await use(1, ({ id }) => `re-read-${id}`)
    while ((await rereadProfiles(fixture.deps)) > 0);
    assert.equal(await seqOf(profile), 6)
    const [row] = await fixture.sql<{ oembed: { text: string } }>(
      `select oembed from item where profile_id = $1 and native_id = '2'`,
      [profile.id],
    )
    assert.equal(row!.oembed.text, 're-read-2')
    await fixture.sync(profile)
    assert.equal(await seqOf(profile), 6)
  })

  test('keys in another order do not count as a change, at any depth', async () => {
    const forms = [
      '{"notes":[{"id":"1","at":5,"a":{"x":1,"y":[{"p":1,"q":2}]}}]}',
      '{"notes":[{"a":{"y":[{"q":2,"p":1}],"x":1},"at":5,"id":"1"}]}',
    ]
    const connector = await fixture.use('order', { list: notes('/order') })
    fixture.service.on('/order', () => ({ body: forms[0] }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const before = await fixture.stored(profile)
    fixture.service.on('/order', () => ({ body: forms[1] }))
    await fixture.sync(profile)
    assert.deepEqual(await fixture.stored(profile), before)
    assert.equal(await seqOf(profile), 1)
    // A list in another order is a change.
    fixture.service.on('/order', () => ({ body: '{"notes":[{"id":"1","at":5,"a":{"x":1,"y":[]}}]}' }))
    await fixture.sync(profile)
    assert.equal(await seqOf(profile), 2)
  })

  test('whole numbers keep all their digits, as ids and inside records', async () => {
    const body = '{"notes":[{"id":9007199254740993,"at":5,"n":18446744073709551615},{"id":9007199254740992,"at":5}]}'
    const connector = await fixture.use('digits', { list: notes('/digits') })
    fixture.service.on('/digits', () => ({ body }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const stored = await fixture.stored(profile)
    assert.deepEqual([...stored.keys()], ['9007199254740992', '9007199254740993'])
    assert.equal(stored.get('9007199254740993')!.data, '{"id":9007199254740993,"at":5,"n":18446744073709551615}')
    await fixture.sync(profile)
    assert.deepEqual(await fixture.stored(profile), stored)
  })

  test('the same record twice in a page or across pages is one item; the last version counts', async () => {
    const list: Note[] = [
      { id: 'a', at: 1, text: 'old' },
      { id: 'a', at: 1, text: 'new' },
      { id: 'b', at: 2 },
      { id: 'b', at: 2 },
    ]
    const connector = await fixture.use('twice', { list: notes('/twice', { pages: numberPages({ param: 'page' }) }) })
    fixture.service.on(
      '/twice',
      paged(() => list, 3),
    )
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const stored = await fixture.stored(profile)
    assert.equal(stored.size, 2)
    assert.match(stored.get('a')!.data, /new/)
    assert.equal((await fixture.progress(profile, 'list')).items, 2)
  })

  test('a reset reads and writes everything again', async () => {
    const connector = await fixture.use('again', { list: notes('/again') })
    fixture.service.on('/again', () => ({ body: { notes: someNotes(3) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const before = await fixture.stored(profile)
    await resetSync(fixture.deps, profile)
    await fixture.run(profile)
    const after = await fixture.stored(profile)
    for (const [id, { seq, data }] of after) {
      assert.ok(seq > before.get(id)!.seq)
      assert.equal(data, before.get(id)!.data)
    }
    assert.equal((await fixture.progress(profile, 'list')).items, 3)
    assert.equal(await seqOf(profile), 6)
    await fixture.sync(profile)
    assert.equal(await seqOf(profile), 6)
  })

  test('a record that reports a deletion removes the item and leaves a tombstone with a seq', async () => {
    const connector = await fixture.use('deleting', { list: notes('/deleting') })
    fixture.service.on('/deleting', () => ({ body: { notes: someNotes(2) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    fixture.service.on('/deleting', () => ({
      body: {
        notes: [
          { id: '1', deleted: true },
          { id: 'never-seen', deleted: true },
        ],
      },
    }))
    await fixture.sync(profile)
    assert.deepEqual([...(await fixture.stored(profile)).keys()], ['2'])
    const deleted = await fixture.sql('select native_id, seq from item_tombstone where profile_id = $1', [profile.id])
    assert.deepEqual(deleted, [{ native_id: '1', seq: 3 }])
    assert.equal((await fixture.progress(profile, 'list')).items, 1)
  })

  test('an endpoint that a newer connector adds is synced for existing profiles', async () => {
    const connector = await fixture.use('grows', { list: notes('/grows') })
    fixture.service.on('/grows', () => ({ body: { notes: someNotes(1) } }))
    fixture.service.on('/grows-more', () => ({ body: { notes: someNotes(2) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    await fixture.use('grows', { list: notes('/grows'), more: notes('/grows-more') })
    await fixture.sync(profile)
    assert.equal((await fixture.stored(profile, 'more')).size, 2)
  })
})
