import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { since } from '#kit/endpoints/checkpoint.ts'
import { type Fixture, type Note, notes, openFixture, someNotes } from './engine-fixture.ts'

suite('conditional requests', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  for (const [name, header, condition, values] of [
    ['etag', 'etag', 'if-none-match', ['"one"', 'W/"two"']],
    [
      'modified',
      'last-modified',
      'if-modified-since',
      ['Tue, 01 Sep 2026 10:00:00 GMT', 'Wed, 02 Sep 2026 10:00:00 GMT'],
    ],
  ] as const) {
    test(`${header}: an unchanged response is not read, a changed one is`, async () => {
      let [version, count, read] = [0, 2, 0]
      const connector = await fixture.use(name, {
        list: notes(`/${name}`, {
          items: (body) => {
            read += 1
            return body.notes
          },
        }),
      })
      fixture.service.on(`/${name}`, ({ headers }) =>
        headers[condition] === values[version]
          ? { status: 304 }
          : { headers: { [header]: values[version]! }, body: { notes: someNotes(count) } },
      )
      const profile = await fixture.connect(connector)
      await fixture.run(profile)
      await fixture.sync(profile)
      assert.equal(fixture.service.requestsTo(`/${name}`)[1]!.headers[condition], values[0])
      assert.equal(read, 1)
      const progress = await fixture.progress(profile, 'list')
      assert.equal(progress.state, 'done')
      assert.equal(progress.items, 2)
      version = 1
      count = 3
      await fixture.sync(profile)
      await fixture.sync(profile)
      assert.equal(read, 2)
      assert.equal((await fixture.stored(profile)).size, 3)
    })
  }

  test('a validator is only sent with the request that it belongs to', async () => {
    let list: Note[] = [{ id: '1', at: 100 }]
    const connector = await fixture.use('moving', {
      list: notes('/moving', { checkpoint: since<Note>({ param: 'since', value: ({ at }) => at }) }),
    })
    fixture.service.on('/moving', () => ({ headers: { etag: '"same"' }, body: { notes: list } }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    list = []
    await fixture.sync(profile)
    await fixture.sync(profile)
    assert.deepEqual(
      fixture.service.requestsTo('/moving').map(({ query, headers }) => [query['since'], headers['if-none-match']]),
      [
        [undefined, undefined],
        ['100', undefined],
        ['100', '"same"'],
      ],
    )
  })
})
