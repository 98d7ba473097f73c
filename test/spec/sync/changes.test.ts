import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { resetSync } from '#flows/sync/progress.ts'
import { numberPages } from '#kit/pages.ts'
import type { Profile } from '#model/profile.ts'
import { type Ground, type Note, note, notes, openGround, paged, someNotes } from './engine-fixture.ts'

suite('what a run writes', () => {
  let ground: Ground
  before(async () => {
    ground = await openGround()
  })
  after(() => ground.close())

  const seqOf = async (profile: Profile) =>
    (await ground.sql<{ seq: number }>('select seq from profile_sync where profile_id = $1', [profile.id]))[0]!.seq

  test('a second run over the same data writes nothing, and an edit writes that one item', async () => {
    let list = someNotes(25)
    const connector = await ground.use('same', { list: notes('/same', { pages: numberPages({ param: 'page' }) }) })
    ground.service.on(
      '/same',
      paged(() => list, 10),
    )
    const profile = await ground.connect(connector)
    await ground.run(profile)
    const first = await ground.stored(profile)
    assert.equal(first.size, 25)
    const seq = await seqOf(profile)
    assert.equal(seq, 25)

    await ground.sync(profile)
    assert.deepEqual(await ground.stored(profile), first)
    assert.equal(await seqOf(profile), seq)

    list = list.with(7, { ...list[7]!, text: 'edited' })
    await ground.sync(profile)
    const third = await ground.stored(profile)
    const { seq: newSeq, updated_at: updatedAt, data } = third.get('8')!
    assert.equal(newSeq, 26)
    assert.ok(updatedAt > first.get('8')!.updated_at)
    assert.match(data, /edited/)
    third.set('8', first.get('8')!)
    assert.deepEqual(third, first)
    assert.equal((await ground.progress(profile, 'list')).items, 25)
  })

  test('a kind whose readers changed is read anew, once', async () => {
    const use = (version: number, text: (raw: Note) => string) =>
      ground.use('reread', { list: notes('/reread', { kind: { ...note, version, map: { text } } }) })
    ground.service.on('/reread', () => ({ body: { notes: someNotes(3) } }))
    const profile = await ground.connect(await use(0, ({ text }) => text ?? ''))
    await ground.run(profile)
    await use(1, ({ id }) => `re-read-${id}`)
    await ground.sync(profile)
    assert.equal(await seqOf(profile), 6)
    const [row] = await ground.sql<{ oembed: { text: string } }>(
      `select oembed from item where profile_id = $1 and native_id = '2'`,
      [profile.id],
    )
    assert.equal(row!.oembed.text, 're-read-2')
    await ground.sync(profile)
    assert.equal(await seqOf(profile), 6)
  })

  test('keys in another order are no change, at any depth', async () => {
    const forms = [
      '{"notes":[{"id":"1","at":5,"a":{"x":1,"y":[{"p":1,"q":2}]}}]}',
      '{"notes":[{"a":{"y":[{"q":2,"p":1}],"x":1},"at":5,"id":"1"}]}',
    ]
    const connector = await ground.use('order', { list: notes('/order') })
    ground.service.on('/order', () => ({ body: forms[0] }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    const before = await ground.stored(profile)
    ground.service.on('/order', () => ({ body: forms[1] }))
    await ground.sync(profile)
    assert.deepEqual(await ground.stored(profile), before)
    assert.equal(await seqOf(profile), 1)
    // A list in another order is another list.
    ground.service.on('/order', () => ({ body: '{"notes":[{"id":"1","at":5,"a":{"x":1,"y":[]}}]}' }))
    await ground.sync(profile)
    assert.equal(await seqOf(profile), 2)
  })

  test('whole numbers keep all their digits, as ids and inside records', async () => {
    const body = '{"notes":[{"id":9007199254740993,"at":5,"n":18446744073709551615},{"id":9007199254740992,"at":5}]}'
    const connector = await ground.use('digits', { list: notes('/digits') })
    ground.service.on('/digits', () => ({ body }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    const stored = await ground.stored(profile)
    assert.deepEqual([...stored.keys()], ['9007199254740992', '9007199254740993'])
    assert.equal(stored.get('9007199254740993')!.data, '{"id":9007199254740993,"at":5,"n":18446744073709551615}')
    await ground.sync(profile)
    assert.deepEqual(await ground.stored(profile), stored)
  })

  test('the same record twice in a page and across pages is one item; the last one counts', async () => {
    const list: Note[] = [
      { id: 'a', at: 1, text: 'old' },
      { id: 'a', at: 1, text: 'new' },
      { id: 'b', at: 2 },
      { id: 'b', at: 2 },
    ]
    const connector = await ground.use('twice', { list: notes('/twice', { pages: numberPages({ param: 'page' }) }) })
    ground.service.on(
      '/twice',
      paged(() => list, 3),
    )
    const profile = await ground.connect(connector)
    await ground.run(profile)
    const stored = await ground.stored(profile)
    assert.equal(stored.size, 2)
    assert.match(stored.get('a')!.data, /new/)
    assert.equal((await ground.progress(profile, 'list')).items, 2)
  })

  test('a reset reads and writes everything again', async () => {
    const connector = await ground.use('again', { list: notes('/again') })
    ground.service.on('/again', () => ({ body: { notes: someNotes(3) } }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    const before = await ground.stored(profile)
    await resetSync(ground.need, profile)
    await ground.run(profile)
    const after = await ground.stored(profile)
    for (const [id, { seq, data }] of after) {
      assert.ok(seq > before.get(id)!.seq)
      assert.equal(data, before.get(id)!.data)
    }
    assert.equal((await ground.progress(profile, 'list')).items, 3)
    assert.equal(await seqOf(profile), 6)
    await ground.sync(profile)
    assert.equal(await seqOf(profile), 6)
  })

  test('a record that says that something is gone removes it and leaves a trace in the order of changes', async () => {
    const connector = await ground.use('told', { list: notes('/told') })
    ground.service.on('/told', () => ({ body: { notes: someNotes(2) } }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    ground.service.on('/told', () => ({
      body: {
        notes: [
          { id: '1', gone: true },
          { id: 'never-seen', gone: true },
        ],
      },
    }))
    await ground.sync(profile)
    assert.deepEqual([...(await ground.stored(profile)).keys()], ['2'])
    const gone = await ground.sql('select native_id, seq from item_gone where profile_id = $1', [profile.id])
    assert.deepEqual(gone, [{ native_id: '1', seq: 3 }])
    assert.equal((await ground.progress(profile, 'list')).items, 1)
  })

  test('an endpoint that a newer connector has is synced for profiles that were there before', async () => {
    const connector = await ground.use('grows', { list: notes('/grows') })
    ground.service.on('/grows', () => ({ body: { notes: someNotes(1) } }))
    ground.service.on('/grows-more', () => ({ body: { notes: someNotes(2) } }))
    const profile = await ground.connect(connector)
    await ground.run(profile)
    await ground.use('grows', { list: notes('/grows'), more: notes('/grows-more') })
    await ground.sync(profile)
    assert.equal((await ground.stored(profile, 'more')).size, 2)
  })
})
