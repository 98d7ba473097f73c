import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Item, type Reader, type ReadingHarness, startReadingHarness } from './fixture.ts'

let harness: ReadingHarness
before(async () => {
  harness = await startReadingHarness()
})
after(() => harness.stop())

const NOTES = '/services/self/notes'
const post = async (reader: Reader, items: unknown[], path = NOTES) => {
  const reply = await harness.request(path, reader, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(items),
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}
const merge = async (source: Reader, dest: Reader) => {
  const { status } = await harness.request(`/auth/merge?source=${source.token}&dest=${dest.token}`, dest)
  assert.equal(status, 200)
}
const remove = (reader: Reader, id: string) => harness.request(`${NOTES}/${id}`, reader, { method: 'DELETE' })
const one = async (reader: Reader, path: string) => (await harness.request(path, reader)).body as Item
const texts = async (reader: Reader, path = NOTES) =>
  (await harness.items(path, reader)).map(({ data }) => [data.id, data.text])
/** The items that quotas count. */
const counted = async ({ account }: Reader) => {
  const [row] = await harness.tributary.sql<{ items: string }>(
    `select sum(s.items) as items from profile p join profile_sync s on s.shard = p.shard and s.profile_id = p.id
     where p.account_id = $1`,
    [account.id],
  )
  return Number(row!.items)
}
const pair = async () => [await harness.newReader(), await harness.newReader()] as const

suite('own items after a merge', () => {
  test('are replaced by their id, and keep their global id', async () => {
    const [source, dest] = await pair()
    await post(source, [{ id: 'n1', at: 1, type: 'statuses', text: 'first' }])
    const { id, idr } = await one(source, `${NOTES}/n1`)
    await merge(source, dest)
    assert.deepEqual(await post(dest, [{ id: 'n1', at: 1, type: 'statuses', text: 'changed' }]), {
      added: 0,
      changed: 1,
      unchanged: 0,
    })
    assert.deepEqual(await texts(dest), [['n1', 'changed']])
    assert.deepEqual(await texts(dest, '/types/statuses'), [['n1', 'changed']])
    for (const path of [`${NOTES}/n1`, `/id/${id}`, `/id/${encodeURIComponent(idr)}`])
      assert.deepEqual([(await one(dest, path)).data.text, (await one(dest, path)).id], ['changed', id])
    const again = [
      { id: 'n1', at: 1, type: 'statuses', text: 'changed' },
      { id: 'n2', at: 2, text: 'new' },
    ]
    assert.deepEqual(await post(dest, again), { added: 1, changed: 0, unchanged: 1 })
    assert.deepEqual(await texts(dest), [
      ['n2', 'new'],
      ['n1', 'changed'],
    ])
    const named = `/id/${encodeURIComponent(`data:${dest.account.id}@self/notes#n1`)}`
    assert.equal((await one(dest, named)).id, id, 'the IDR with the account names the same item')
  })

  for (const newer of ['source', 'dest'] as const)
    test(`an id that both accounts had is one item: the one written last (of ${newer})`, async () => {
      const [source, dest] = await pair()
      const [first, last] = newer === 'source' ? [dest, source] : [source, dest]
      await post(first, [
        { id: 'n1', at: 1, type: 'statuses', text: 'older' },
        { id: 'only first', at: 2, text: 'kept' },
      ])
      const former = (await one(first, `${NOTES}/n1`)).id
      await harness.tributary.sql(
        'update item set updated_at = updated_at - 5000 where native_id = $1 and shard = $2',
        ['n1', first.account.shard],
      )
      await post(last, [{ id: 'n1', at: 1, type: 'statuses', text: 'newer' }])
      await post(last, [{ id: 'n1', at: 1, text: 'elsewhere' }], '/services/self/tasks')
      const kept = (await one(last, `${NOTES}/n1`)).id
      await merge(source, dest)
      assert.deepEqual(await texts(dest), [
        ['only first', 'kept'],
        ['n1', 'newer'],
      ])
      assert.deepEqual(await texts(dest, '/services/self/tasks'), [['n1', 'elsewhere']])
      assert.deepEqual(await texts(dest, '/types/statuses'), [['n1', 'newer']])
      assert.deepEqual((await harness.request('/services/self', dest)).body, { notes: 2, tasks: 1 })
      for (const id of [kept, former]) assert.equal((await one(dest, `/id/${id}`)).id, kept)
      assert.equal((await one(dest, `${NOTES}/n1`)).data.text, 'newer')
      assert.equal(await counted(dest), 3)
    })

  test('of three accounts are still one item for each id', async () => {
    const readers = [await harness.newReader(), await harness.newReader(), await harness.newReader()] as const
    for (const [i, reader] of readers.entries())
      await post(reader, [
        { id: 'same', at: 1, text: `of ${i}` },
        { id: `n${i}`, at: 2 + i, text: `of ${i}` },
      ])
    const [a, b, c] = readers
    await merge(a, b)
    await merge(b, c)
    assert.equal((await texts(c)).filter(([id]) => id === 'same').length, 1)
    assert.deepEqual(
      await post(c, [
        { id: 'same', text: 'x' },
        { id: 'n0', at: 2 },
      ]),
      {
        added: 0,
        changed: 2,
        unchanged: 0,
      },
    )
    assert.equal((await texts(c)).length, 4)
    for (const id of ['same', 'n0', 'n1', 'n2']) assert.equal((await remove(c, id)).status, 200, id)
    assert.equal(await harness.request('/services/self/notes', c).then(({ status }) => status), 404)
  })

  test('more than a page of them in both accounts become one each', async () => {
    const [source, dest] = await pair()
    const notes = (from: number, text: string) => Array.from({ length: 800 }, (_, i) => ({ id: from + i, at: 1, text }))
    await post(source, notes(0, 'source'))
    await post(source, notes(800, 'source'))
    await post(dest, notes(400, 'dest'))
    await post(dest, notes(1200, 'dest'))
    await merge(source, dest)
    const found = await texts(dest, `${NOTES}?limit=5000`)
    assert.equal(found.length, 2000)
    assert.equal(new Set(found.map(([id]) => id)).size, 2000)
    assert.equal(found.filter(([, text]) => text === 'dest').length, 1600, 'the later ones stay')
  })

  test('copies that an earlier release left become one when the item is written, and are all deleted', async () => {
    const [source, dest] = await pair()
    await post(source, [
      { id: 'n1', at: 1, text: 'source' },
      { id: 'n2', at: 1, text: 'source' },
    ])
    await post(dest, [{ id: 'n2', at: 1, text: 'dest' }])
    await harness.tributary.sql('update item set updated_at = updated_at - 5000 where shard = $1', [
      source.account.shard,
    ])
    await post(dest, [{ id: 'n1', at: 1, text: 'copy' }])
    // A merge that moved profiles and compared no items.
    const { sql } = harness.tributary
    await sql('update profile set account_id = $1 where account_id = $2', [dest.account.id, source.account.id])
    await sql('update account set shards = $1 where id = $2', [
      [dest.account.shard, source.account.shard],
      dest.account.id,
    ])
    assert.equal((await texts(dest)).filter(([id]) => id === 'n1').length, 2)
    assert.equal((await one(dest, `${NOTES}/n1`)).data.text, 'copy', 'the newer one is read')
    assert.deepEqual(await post(dest, [{ id: 'n1', at: 1, text: 'one' }]), { added: 0, changed: 1, unchanged: 0 })
    assert.deepEqual(
      (await texts(dest)).filter(([id]) => id === 'n1'),
      [['n1', 'one']],
    )
    assert.equal((await remove(dest, 'n2')).status, 200)
    assert.deepEqual(await texts(dest), [['n1', 'one']])
    assert.equal(await counted(dest), 1)
  })

  test('written while accounts are merged are never doubled', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [source, dest] = await pair()
      await post(source, [{ id: 'n1', at: 1, text: 'source' }])
      await post(dest, [{ id: 'n2', at: 1, text: 'dest' }])
      const write = (reader: Reader, id: string) =>
        harness.request(NOTES, reader, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify([{ id, at: 1, text: `round ${round}` }]),
        })
      const [, ...written] = await Promise.all([
        merge(source, dest),
        write(dest, 'n1'),
        write(dest, 'n2'),
        write(source, 'n2'),
      ])
      for (const { status } of written) assert.ok(status === 200 || status === 401, String(status))
      assert.deepEqual((await texts(dest)).map(([id]) => String(id)).sort(), ['n1', 'n2'])
    }
  })
})

suite('DELETE /services/self/:endpoint/:id', () => {
  test('deletes an own item once; then it is not found, and can be stored again', async () => {
    const [reader, other] = await pair()
    await post(reader, [
      { id: 'a/b', at: 1, type: 'statuses', text: 'x' },
      { id: 2, at: 2, text: 'y' },
    ])
    await post(other, [{ id: 2, at: 2, text: 'theirs' }])
    assert.equal((await remove(other, 'a%2Fb')).status, 404)
    const { status, body } = await remove(reader, 'a%2Fb')
    assert.deepEqual([status, body], [200, { deleted: 'a/b' }])
    const again = await remove(reader, 'a%2Fb')
    assert.deepEqual([again.status, (again.body as { reason: string }).reason], [404, 'not_found'])
    assert.equal((await remove(reader, '2')).status, 200)
    assert.deepEqual(await harness.items('/types/all', reader), [])
    assert.deepEqual(await texts(other), [[2, 'theirs']])
    assert.equal(await counted(reader), 0)
    assert.deepEqual(await post(reader, [{ id: 2, at: 2, text: 'again' }]), { added: 1, changed: 0, unchanged: 0 })
    assert.deepEqual(await texts(reader), [[2, 'again']])
  })

  test('finds the item after a merge, in whichever account it was stored', async () => {
    const [source, dest] = await pair()
    await post(source, [
      { id: 'n1', at: 1 },
      { id: 'n2', at: 1 },
    ])
    await post(dest, [
      { id: 'n2', at: 1 },
      { id: 'n3', at: 1 },
    ])
    const { id } = await one(source, `${NOTES}/n1`)
    await merge(source, dest)
    for (const name of ['n1', 'n2', 'n3']) assert.equal((await remove(dest, name)).status, 200, name)
    for (const name of ['n1', 'n2', 'n3']) assert.equal((await remove(dest, name)).status, 404, name)
    assert.equal((await harness.request(`/id/${id}`, dest)).status, 404)
    await post(dest, [{ id: 'n1', at: 1, text: 'back' }])
    assert.equal((await one(dest, `/id/${id}`)).data.text, 'back')
  })

  test('needs a valid token, a valid endpoint and an item of the app', async () => {
    const reader = await harness.newReader()
    assert.equal((await remove(reader, 'a')).status, 404)
    assert.equal((await remove({ ...reader, token: 'x' }, 'a')).status, 401)
    const other = await harness.request('/services/self/Notes/a', reader, { method: 'DELETE' })
    assert.equal(other.status, 400)
    assert.equal((await harness.request('/services/library/things/a', reader, { method: 'DELETE' })).status, 405)
  })

  test('two at once delete it once', async () => {
    const reader = await harness.newReader()
    await post(reader, [{ id: 'a', at: 1 }])
    const replies = await Promise.all([remove(reader, 'a'), remove(reader, 'a'), remove(reader, 'a')])
    assert.deepEqual(replies.map(({ status }) => String(status)).sort(), ['200', '404', '404'])
  })
})
