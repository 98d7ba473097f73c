import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { since } from '#kit/endpoints/checkpoint.ts'
import { type Fixture, type Note, notes, openFixture } from '../engine-fixture.ts'
import { entries } from './children-fixture.ts'

const DAY_MS = 86_400_000

suite('child endpoints whose checkpoints end', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  test('a checkpoint that the service no longer knows is forgotten for its parent alone, at once', async () => {
    const { profile, asked, fail } = await openRestarts('restart')
    await fixture.run(profile)
    assert.deepEqual(asked.splice(0), ['a', 'b', 'c'])
    fail('b', 'with a checkpoint')
    await fixture.sync(profile)
    assert.deepEqual(asked.splice(0), ['a1700000000001', 'b1700000000001', 'b', 'c1700000000001'])
    const { state, last_error, faults } = await fixture.progress(profile, 'entries')
    assert.deepEqual([state, last_error, faults], ['done', undefined, undefined])
    fail('b', 'never')
    await fixture.sync(profile)
    assert.deepEqual(asked, ['a1700000000001', 'b1700000000001', 'c1700000000001'], 'it has a new checkpoint')
  })

  test('a parent that always asks for a restart is a fault and is not asked in a loop', async () => {
    const { profile, asked, fail } = await openRestarts('restart-always')
    await fixture.run(profile)
    asked.length = 0
    fail('b', 'always')
    await fixture.sync(profile)
    assert.deepEqual(asked.splice(0), ['a1700000000001', 'b1700000000001', 'b', 'c1700000000001'])
    const { state, faults } = await fixture.progress(profile, 'entries')
    assert.deepEqual([state, faults?.count, faults?.latest[0]?.record], ['done', 1, 'b'])
    await fixture.sync(profile)
    assert.deepEqual(asked.splice(0), ['a1700000000001', 'c1700000000001'], 'not again for a day')
    fail('b', 'never')
    fixture.clock.offsetMs += 2 * DAY_MS
    await fixture.sync(profile)
    assert.equal((await fixture.progress(profile, 'entries')).faults, undefined)
  })

  /** Three parents with checkpoints; the service answers 410 for a parent when the test says so. */
  async function openRestarts(name: string) {
    type Failing = 'never' | 'always' | 'with a checkpoint'
    const failing = new Map<string, Failing>()
    const asked: string[] = []
    const connector = await fixture.use(
      name,
      {
        list: notes(`/${name}`),
        entries: entries(`/${name}`, {
          checkpoint: since<Note>({ param: 'since', value: ({ at }) => at }),
          pages: undefined as never,
        }),
      },
      { api: { recovery: ({ status }) => (status === 410 ? 'restart' : undefined) } },
    )
    const parents = ['a', 'b', 'c']
    fixture.service.on(`/${name}`, () => ({ body: { notes: parents.map((id) => ({ id, at: 1_700_000_000_000 })) } }))
    for (const id of parents)
      fixture.service.on(`/${name}/${id}/entries`, ({ query }) => {
        asked.push(`${id}${query['since'] ?? ''}`)
        const how = failing.get(id)
        if (how === 'always' || (how === 'with a checkpoint' && query['since'] !== undefined)) return { status: 410 }
        return { body: { notes: [{ id: '1', at: 1_700_000_000_001 }] } }
      })
    const profile = await fixture.connect(connector)
    return { profile, asked, fail: (id: string, how: Failing) => void failing.set(id, how) }
  }
})
