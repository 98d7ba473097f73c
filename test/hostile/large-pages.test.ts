import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { kind } from '#kit/read/kind.ts'
import { type Fixture, type Note, notes, openFixture, someNotes } from '../spec/sync/engine-fixture.ts'

const MB = 1024 * 1024

suite('a page that is too large is refused before it is parsed, and an allowed one yields to other work', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture({ transientRetryMs: 1 })
  })
  after(() => fixture.close())

  /** The sync state of a profile whose service responds with this text. */
  const errorOf = async (name: string, body: string) => {
    const connector = await fixture.use(name, { list: notes(`/${name}`), other: notes(`/${name}-other`) })
    fixture.service.on(`/${name}`, () => ({ body }))
    fixture.service.on(`/${name}-other`, () => ({ body: { notes: someNotes(2) } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    const { last_reason: reason, last_error: sentence } = await fixture.progress(profile, 'list')
    const error = reason === undefined ? undefined : `${reason}: ${sentence}`
    // Its other endpoints are synced.
    assert.equal((await fixture.stored(profile, 'other')).size, 2)
    return { error, stored: (await fixture.stored(profile)).size }
  }
  const many = (count: number, one: (i: number) => string) => Array.from({ length: count }, (_, i) => one(i)).join(',')

  const tooMuch: Record<string, [text: () => string, error: RegExp]> = {
    'a million keys in one record': [
      () => `{"notes":[{"id":1,${many(1e6, (i) => `"k${i}":1`)}}]}`,
      /too_large|unreadable/,
    ],
    'keys within 5 MB, but over 200,000': [
      () => `{"notes":[{"id":1,${many(200_001, (i) => `"${i}":1`)}}]}`,
      /unreadable/,
    ],
    'empty arrays': [() => `{"notes":[{"id":1,"a":[${'[],'.repeat(1e6)}[]]}]}`, /unreadable/],
    'a hundred thousand records': [() => `{"notes":[${many(1e5, (i) => `{"id":${i}}`)}]}`, /unreadable|unexpected/],
    'ten thousand and one records': [() => `{"notes":[${many(10_001, (i) => `{"id":${i}}`)}]}`, /unexpected/],
    'more than 5 MB': [() => `{"notes":[{"id":1,"text":"${'x'.repeat(5 * MB)}"}]}`, /too_large/],
    'deeper than a page may be': [
      () => `{"notes":[{"id":1,"a":${'['.repeat(1001)}${']'.repeat(1001)}}]}`,
      /unreadable/,
    ],
  }
  for (const [i, [what, [text, wanted]]] of Object.entries(tooMuch).entries())
    test(what, async () => {
      const { error, stored } = await errorOf(`too-much-${i}`, text())
      assert.match(error ?? '', wanted)
      assert.equal(stored, 0)
    })

  test('a response with a corrupt Content-Encoding fails its endpoint, not the process', async () => {
    for (const [i, coding] of ['gzip, gzip', 'foo', 'UTF-8', 'aws-chunked', 'none', 'gzip'].entries()) {
      const name = `coding-${i}`
      const connector = await fixture.use(name, { list: notes(`/${name}`), other: notes(`/${name}-other`) })
      fixture.service.on(`/${name}`, () => ({ body: '[]', headers: { 'content-encoding': coding } }))
      fixture.service.on(`/${name}-other`, () => ({ body: { notes: someNotes(2) } }))
      const profile = await fixture.connect(connector)
      await fixture.run(profile)
      assert.equal((await fixture.progress(profile, 'list')).last_reason, 'answer_unreadable', coding)
      assert.equal((await fixture.stored(profile, 'other')).size, 2)
    }
  })

  test('ten thousand records, and a record of many keys, are stored', async () => {
    assert.equal((await errorOf('full', `{"notes":[${many(10_000, (i) => `{"id":${i}}`)}]}`)).stored, 10_000)
    const wide = `{"notes":[{"id":1,${many(40_000, (i) => `"k${i}":1`)}}]}`
    assert.deepEqual(await errorOf('wide', wide), { error: undefined, stored: 1 })
  })

  test('a record of more than 50,000 values is quarantined, and its neighbours are stored', async () => {
    const body = `{"notes":[{"id":1,"a":[${many(50_001, () => '0')}]},{"id":2}]}`
    assert.deepEqual(await errorOf('one-wide', body), { error: undefined, stored: 1 })
    const [row] = await fixture.sql<{ reason: string }>(`select reason from quarantine where reason like '%values%'`)
    assert.match(row?.reason ?? '', /more than 50000 values/)
  })

  test('other work runs between the records of a page', async () => {
    let sinceTurn = 0
    let most = 0
    /** Each record takes a while, like a large one. */
    const busy = () => {
      sinceTurn += 1
      most = Math.max(most, sinceTurn)
      for (const until = performance.now() + 2; performance.now() < until; );
    }
    const slow = kind<Note>({
      name: 'note',
      id: ({ id }) => id,
      deleted: () => {
        busy()
        return false
      },
      at: () => {
        busy()
        return undefined
      },
      map: {},
    })
    const connector = await fixture.use('turns', { list: notes('/turns', { kind: slow }) })
    fixture.service.on('/turns', () => ({ body: { notes: someNotes(300) } }))
    const profile = await fixture.connect(connector)
    let isOver = false
    const take = () => {
      sinceTurn = 0
      if (!isOver) setImmediate(take)
    }
    take()
    await fixture.run(profile)
    isOver = true
    assert.equal((await fixture.stored(profile)).size, 300)
    // A slice ends after 10 ms, which is 5 of these records; two adjacent slices can have twice as many.
    assert.ok(most <= 12, `${most} records in one turn`)
  })
})
