import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { requestSync } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { untilKnown } from '#kit/checkpoint.ts'
import { type Kind, kind } from '#kit/kind.ts'
import { numberPages } from '#kit/pages.ts'
import type { Profile } from '#model/profile.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { eraseProfileItems } from '#store/items/items.ts'
import { removeEndpoints } from '#store/sync/endpoints.ts'
import { listQuarantine } from '#store/sync/quarantine.ts'
import { removeSchedule } from '#store/sync/schedule.ts'
import { type Fixture, keyOf, type Note, notes, openFixture } from './engine-fixture.ts'
import { gate } from './scripted-service.ts'

suite('quarantined records that are tried again', () => {
  let fixture: Fixture
  before(async () => {
    fixture = await openFixture()
  })
  after(() => fixture.close())

  const named = (id: (note: Note) => string | number, version = 0): Kind<Note> =>
    kind<Note>({
      name: 'note',
      version,
      id,
      at: ({ at }) => at,
      deleted: ({ deleted }) => deleted === true,
      map: { text: ({ text }) => text },
    })
  /** The service calls an id `key` since a while. */
  const old = named(({ id }) => id)
  const mended = named(({ id, key }) => id ?? (key as string), 1)
  /** An endpoint that shows only what is new since its last walk, so that nothing comes twice by itself. */
  const endpoint = (path: string, of: Kind<Note>) =>
    notes(path, {
      kind: of,
      pages: numberPages({ param: 'page' }),
      checkpoint: untilKnown<Note>({ value: ({ at }) => at }),
    })
  const use = (name: string, of: Kind<Note>) => fixture.use(name, { list: endpoint(`/${name}`, of) })
  const shows = (name: string, list: () => unknown[]) =>
    fixture.service.on(`/${name}`, ({ query }) => ({ body: { notes: query['page'] === '1' ? list() : [] } }))
  const retry = async (profile: Profile) => {
    await requestSync(fixture.deps, profile, { confirmDeletes: false, retryQuarantined: true })
    await fixture.run(profile)
  }
  const aside = (profile: Profile) => listQuarantine(fixture.deps.database, keyOf(profile), 'list')
  const ids = async (profile: Profile) => [...(await fixture.stored(profile)).keys()]
  const counts = async (profile: Profile) => {
    const { items, quarantined } = await fixture.progress(profile, 'list')
    const [row] = await fixture.sql<{ items: number }>('select items::int from profile_sync where profile_id = $1', [
      profile.id,
    ])
    return [items, row!.items, quarantined ?? 0]
  }
  /** One good record and two whose id the old reader does not find; the service shows all of them just once. */
  const broken = async (name: string) => {
    let list: unknown[] = [
      { id: '1', at: 3 },
      { key: '2', at: 2 },
      { key: '3', at: 1 },
    ]
    await use(name, old)
    shows(name, () => list)
    const profile = await fixture.connect(fixture.deps.registry.find(name)!)
    await fixture.run(profile)
    assert.equal((await aside(profile)).length, 2)
    list = [{ id: '1', at: 3 }]
    return { profile, show: (next: unknown[]) => (list = next) }
  }

  test('enter the items when the connector was mended, without the service', async () => {
    const { profile } = await broken('mending')
    await use('mending', mended)
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2', '3'])
    assert.deepEqual(await aside(profile), [])
    assert.deepEqual(await counts(profile), [3, 3, 0])
    const stored = await fixture.stored(profile)
    assert.equal(stored.get('2')!.data, '{"key":"2","at":2}')
    // Twice: nothing is left to do, and nothing is written.
    await retry(profile)
    assert.deepEqual(await fixture.stored(profile), stored)
  })

  test('stay when they are still bad, with another time and count; the others enter', async () => {
    const { profile } = await broken('half')
    const before = await aside(profile)
    await use(
      'half',
      named((note) => (note['key'] === '3' ? (undefined as never) : (note.id ?? (note['key'] as string))), 1),
    )
    fixture.clock.offsetMs += 60_000
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2'])
    const [left, ...more] = await aside(profile)
    assert.deepEqual([more.length, left!.times, left!.sample], [0, 2, '{"key":"3","at":1}'])
    assert.ok(left!.seenAt >= before[0]!.seenAt + 60_000)
    assert.deepEqual(await counts(profile), [2, 2, 1])
  })

  test('are not tried unless somebody asks', async () => {
    const { profile } = await broken('unasked')
    await use('unasked', mended)
    await fixture.sync(profile)
    assert.equal((await aside(profile)).length, 2)
  })

  test('a newer version wins: one that came in since, and one that was removed since', async () => {
    const { profile, show } = await broken('newer')
    await use('newer', mended)
    fixture.clock.offsetMs += 1000
    show([
      { id: '3', at: 9 },
      { id: '2', at: 8, text: 'newer' },
    ])
    await fixture.sync(profile)
    fixture.clock.offsetMs += 1000
    show([{ id: '3', at: 10, deleted: true }])
    await fixture.sync(profile)
    assert.equal((await aside(profile)).length, 2)
    await retry(profile)
    const stored = await fixture.stored(profile)
    assert.deepEqual([...stored.keys()], ['1', '2'])
    assert.equal(stored.get('2')!.data, '{"id":"2","at":8,"text":"newer"}')
    assert.deepEqual(await aside(profile), [])
  })

  test('a stored item is not replaced by a kept version: the service is asked, from the beginning', async () => {
    const connector = await use('asked', old)
    let list: unknown[] = [{ id: '1', at: 1, text: 'first' }]
    shows('asked', () => list)
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    fixture.clock.offsetMs += 1000
    await fixture.sql(`alter table item add constraint no_second check (data::text not like '%second%')`)
    list = [{ id: '1', at: 2, text: 'second' }]
    await fixture.sync(profile)
    await fixture.sql('alter table item drop constraint no_second')
    assert.deepEqual(
      (await aside(profile)).map(({ reason }) => reason),
      ['the database refused it'],
    )
    list = [{ id: '1', at: 2, text: 'third' }]
    await retry(profile)
    assert.equal((await fixture.stored(profile)).get('1')!.data, '{"id":"1","at":2,"text":"third"}')
    assert.deepEqual(await aside(profile), [], 'a good version was shown')
  })

  test('one that was too long to keep whole is read again at the service', async () => {
    const connector = await use('long', old)
    const long = { key: '2', at: 1, text: 'x'.repeat(20_000) }
    shows('long', () => [{ id: '1', at: 2 }, long])
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.deepEqual(
      (await aside(profile)).map(({ isWhole }) => isWhole),
      [false],
    )
    await use('long', mended)
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2'])
    assert.deepEqual(await aside(profile), [])
    assert.deepEqual(await counts(profile), [2, 2, 0])
  })

  test('a record that comes again by itself and reads well leaves, too', async () => {
    const connector = await fixture.use('itself', { list: notes('/itself', { kind: old }) })
    let text = 'y'.repeat(1_100_000)
    fixture.service.on('/itself', () => ({
      body: {
        notes: [
          { id: '1', at: 1, text },
          { key: '2', at: 2 },
        ],
      },
    }))
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.equal((await aside(profile)).length, 2)
    text = 'shorter'
    await fixture.sync(profile)
    assert.deepEqual(
      (await aside(profile)).map(({ reason }) => reason),
      ['no usable id'],
    )
    await fixture.use('itself', { list: notes('/itself', { kind: mended }) })
    await fixture.sync(profile)
    assert.deepEqual(await aside(profile), [])
    assert.deepEqual(await counts(profile), [2, 2, 0])
  })

  test('a quota keeps them out; they wait', async () => {
    const { profile } = await broken('full')
    await use('full', mended)
    fixture.deps.config = { quotaProfileItems: 2 } as never
    try {
      await retry(profile)
    } finally {
      fixture.deps.config = undefined
    }
    const [stored, waiting] = [await ids(profile), await aside(profile)]
    assert.deepEqual([stored.length, waiting.length], [2, 1])
    await retry(profile)
    assert.equal((await ids(profile)).length, 3)
    assert.deepEqual(await counts(profile), [3, 3, 0])
  })

  test('asked for while a sync runs, it happens with the next', async () => {
    const { profile } = await broken('busy')
    await use('busy', mended)
    const [reached, release] = [gate(), gate()]
    fixture.service.on('/busy', async () => {
      reached.open()
      await release.opened
      return { body: { notes: [] } }
    })
    await requestSync(fixture.deps, profile)
    const running = fixture.run(profile)
    await reached.opened
    await requestSync(fixture.deps, profile, { confirmDeletes: false, retryQuarantined: true })
    release.open()
    await running
    assert.equal((await aside(profile)).length, 2)
    await fixture.run(profile)
    assert.deepEqual(await ids(profile), ['1', '2', '3'])
    assert.deepEqual(await aside(profile), [])
  })

  /** A database on which this happens before a retry ends. */
  const failingBefore = (hook: () => Promise<void>): Database => ({
    ...fixture.deps.database,
    transaction: <Result>(work: (tx: Queries) => Promise<Result>) =>
      fixture.deps.database.transaction(async (tx) => {
        const count: Queries['count'] = async (statement, values) => {
          if (statement.name === 'quarantine-end-retry') await hook()
          return tx.count(statement, values)
        }
        return work({ ...tx, rows: tx.rows.bind(tx), count })
      }),
  })

  test('killed in the middle: all of it or nothing, and the next turn does it', async () => {
    const { profile } = await broken('killed')
    await use('killed', mended)
    await requestSync(fixture.deps, profile, { confirmDeletes: false, retryQuarantined: true })
    const database = failingBefore(() => Promise.reject(new Error('killed')))
    const turn = { signal: new AbortController().signal, alone: false, step: () => {} }
    await assert.rejects(runProfile({ ...fixture.deps, database }, keyOf(profile), turn), /killed/)
    assert.deepEqual([(await ids(profile)).length, (await aside(profile)).length], [1, 2])
    await fixture.run(profile)
    assert.deepEqual([(await ids(profile)).length, (await aside(profile)).length], [3, 0])
    assert.deepEqual(await counts(profile), [3, 3, 0])
  })

  test('a profile that leaves meanwhile comes back with nothing', async () => {
    const { profile } = await broken('leaves')
    await use('leaves', mended)
    await requestSync(fixture.deps, profile, { confirmDeletes: false, retryQuarantined: true })
    const rows = fixture.deps.database.rows.bind(fixture.deps.database)
    let hasLeft = false
    const database: Database = {
      ...fixture.deps.database,
      count: fixture.deps.database.count.bind(fixture.deps.database),
      transaction: fixture.deps.database.transaction.bind(fixture.deps.database),
      rows: async (statement, values) => {
        const found = await rows(statement, values)
        if (statement.name === 'quarantine-list' && !hasLeft) {
          hasLeft = true
          await fixture.deps.database.transaction(async (tx) => {
            await eraseProfileItems(tx, keyOf(profile))
            await removeEndpoints(tx, keyOf(profile))
            await removeSchedule(tx, keyOf(profile))
          })
        }
        return found as never
      },
    }
    const turn = { signal: new AbortController().signal, alone: false, step: () => {} }
    await runProfile({ ...fixture.deps, database }, keyOf(profile), turn)
    assert.ok(hasLeft)
    assert.deepEqual([(await ids(profile)).length, (await aside(profile)).length], [0, 0])
  })

  test('an operator has all of an app’s tried at once; what is paused waits for its end', async () => {
    const { profile } = await broken('all')
    await use('all', mended)
    await assert.rejects(retryAppQuarantine(fixture.deps, 'nobody', 'test'), { reason: 'not_found' })
    await pauseSync(fixture.deps, profile, 'test')
    assert.ok((await retryAppQuarantine(fixture.deps, fixture.appId, 'test')) >= 1)
    await fixture.run(profile)
    assert.equal((await aside(profile)).length, 2)
    await resumeSync(fixture.deps, profile, 'test')
    await fixture.run(profile)
    assert.deepEqual(await aside(profile), [])
  })
})
