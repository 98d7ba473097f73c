import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { retryAppQuarantine } from '#flows/sync/commit/quarantine.ts'
import { pauseSync, resumeSync } from '#flows/sync/pause.ts'
import { requestSync } from '#flows/sync/progress.ts'
import { runProfile } from '#flows/sync/run/run-profile.ts'
import { untilKnown } from '#kit/endpoints/checkpoint.ts'
import { numberPages } from '#kit/endpoints/pages.ts'
import { type Kind, kind } from '#kit/read/kind.ts'
import type { Profile } from '#model/accounts/profile.ts'
import type { Database, Queries } from '#platform/postgres/database.ts'
import { eraseProfileItems } from '#store/items/items.ts'
import { removeEndpoints } from '#store/sync/endpoints.ts'
import { listQuarantine } from '#store/sync/quarantine.ts'
import { removeSchedule } from '#store/sync/schedule.ts'
import { type Fixture, keyOf, type Note, notes, openFixture } from '../engine-fixture.ts'
import { gate } from '../scripted-service.ts'

suite('retrying quarantined records', () => {
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
  /** The service renamed `id` to `key`. */
  const old = named(({ id }) => id)
  const fixed = named(({ id, key }) => id ?? (key as string), 1)
  /** An endpoint that shows only records since its last walk, so that none comes twice. */
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
  const quarantined = (profile: Profile) => listQuarantine(fixture.deps.database, keyOf(profile), 'list')
  const ids = async (profile: Profile) => [...(await fixture.stored(profile)).keys()]
  const counts = async (profile: Profile) => {
    const { items, quarantined } = await fixture.progress(profile, 'list')
    const [row] = await fixture.sql<{ items: number }>('select items::int from profile_sync where profile_id = $1', [
      profile.id,
    ])
    return [items, row!.items, quarantined ?? 0]
  }
  /** One good record and two whose id the old reader does not find; the service shows each of them once. */
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
    assert.equal((await quarantined(profile)).length, 2)
    list = [{ id: '1', at: 3 }]
    return { profile, show: (next: unknown[]) => (list = next) }
  }

  test('become items once the connector is fixed, without calling the service', async () => {
    const { profile } = await broken('fixing')
    await use('fixing', fixed)
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2', '3'])
    assert.deepEqual(await quarantined(profile), [])
    assert.deepEqual(await counts(profile), [3, 3, 0])
    const stored = await fixture.stored(profile)
    assert.equal(stored.get('2')!.data, '{"key":"2","at":2}')
    // The second retry writes nothing.
    await retry(profile)
    assert.deepEqual(await fixture.stored(profile), stored)
  })

  test('stay when they are still bad, with a new time and count; the others become items', async () => {
    const { profile } = await broken('half')
    const before = await quarantined(profile)
    await use(
      'half',
      named((note) => (note['key'] === '3' ? (undefined as never) : (note.id ?? (note['key'] as string))), 1),
    )
    fixture.clock.offsetMs += 60_000
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2'])
    const [left, ...more] = await quarantined(profile)
    assert.deepEqual([more.length, left!.times, left!.sample], [0, 2, '{"key":"3","at":1}'])
    assert.ok(left!.seenAt >= before[0]!.seenAt + 60_000)
    assert.deepEqual(await counts(profile), [2, 2, 1])
  })

  test('are not retried unless requested', async () => {
    const { profile } = await broken('unrequested')
    await use('unrequested', fixed)
    await fixture.sync(profile)
    assert.equal((await quarantined(profile)).length, 2)
  })

  test('a newer version wins: one stored since, and one deleted since', async () => {
    const { profile, show } = await broken('newer')
    await use('newer', fixed)
    fixture.clock.offsetMs += 1000
    show([
      { id: '3', at: 9 },
      { id: '2', at: 8, text: 'newer' },
    ])
    await fixture.sync(profile)
    fixture.clock.offsetMs += 1000
    show([{ id: '3', at: 10, deleted: true }])
    await fixture.sync(profile)
    assert.equal((await quarantined(profile)).length, 2)
    await retry(profile)
    const stored = await fixture.stored(profile)
    assert.deepEqual([...stored.keys()], ['1', '2'])
    assert.equal(stored.get('2')!.data, '{"id":"2","at":8,"text":"newer"}')
    assert.deepEqual(await quarantined(profile), [])
  })

  test('a stored item is not replaced by a quarantined version: the endpoint is fetched from the beginning', async () => {
    const connector = await use('refetched', old)
    let list: unknown[] = [{ id: '1', at: 1, text: 'first' }]
    shows('refetched', () => list)
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    fixture.clock.offsetMs += 1000
    await fixture.sql(`alter table item add constraint no_second check (data::text not like '%second%')`)
    list = [{ id: '1', at: 2, text: 'second' }]
    await fixture.sync(profile)
    await fixture.sql('alter table item drop constraint no_second')
    assert.deepEqual(
      (await quarantined(profile)).map(({ reason }) => reason),
      ['the database refused it'],
    )
    list = [{ id: '1', at: 2, text: 'third' }]
    await retry(profile)
    assert.equal((await fixture.stored(profile)).get('1')!.data, '{"id":"1","at":2,"text":"third"}')
    assert.deepEqual(await quarantined(profile), [], 'a good version was shown')
  })

  test('one that was too long to be stored completely is fetched again', async () => {
    const connector = await use('long', old)
    const long = { key: '2', at: 1, text: 'x'.repeat(20_000) }
    shows('long', () => [{ id: '1', at: 2 }, long])
    const profile = await fixture.connect(connector)
    await fixture.run(profile)
    assert.deepEqual(
      (await quarantined(profile)).map(({ isWhole }) => isWhole),
      [false],
    )
    await use('long', fixed)
    await retry(profile)
    assert.deepEqual(await ids(profile), ['1', '2'])
    assert.deepEqual(await quarantined(profile), [])
    assert.deepEqual(await counts(profile), [2, 2, 0])
  })

  test('a record that the service shows again and that is readable is released, too', async () => {
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
    assert.equal((await quarantined(profile)).length, 2)
    text = 'shorter'
    await fixture.sync(profile)
    assert.deepEqual(
      (await quarantined(profile)).map(({ reason }) => reason),
      ['no usable id'],
    )
    await fixture.use('itself', { list: notes('/itself', { kind: fixed }) })
    await fixture.sync(profile)
    assert.deepEqual(await quarantined(profile), [])
    assert.deepEqual(await counts(profile), [2, 2, 0])
  })

  test('a quota refuses them; they stay quarantined', async () => {
    const { profile } = await broken('full')
    await use('full', fixed)
    fixture.deps.config = { quotaProfileItems: 2 } as never
    try {
      await retry(profile)
    } finally {
      fixture.deps.config = undefined
    }
    const [stored, waiting] = [await ids(profile), await quarantined(profile)]
    assert.deepEqual([stored.length, waiting.length], [2, 1])
    await retry(profile)
    assert.equal((await ids(profile)).length, 3)
    assert.deepEqual(await counts(profile), [3, 3, 0])
  })

  test('requested during a sync, the retry happens with the next one', async () => {
    const { profile } = await broken('busy')
    await use('busy', fixed)
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
    assert.equal((await quarantined(profile)).length, 2)
    await fixture.run(profile)
    assert.deepEqual(await ids(profile), ['1', '2', '3'])
    assert.deepEqual(await quarantined(profile), [])
  })

  /** A database on which this hook runs before a retry ends. */
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

  test('killed in the middle: all or nothing, and the next run does it', async () => {
    const { profile } = await broken('killed')
    await use('killed', fixed)
    await requestSync(fixture.deps, profile, { confirmDeletes: false, retryQuarantined: true })
    const database = failingBefore(() => Promise.reject(new Error('killed')))
    const options = { signal: new AbortController().signal, alone: false, step: () => {} }
    await assert.rejects(runProfile({ ...fixture.deps, database }, keyOf(profile), options), /killed/)
    assert.deepEqual([(await ids(profile)).length, (await quarantined(profile)).length], [1, 2])
    await fixture.run(profile)
    assert.deepEqual([(await ids(profile)).length, (await quarantined(profile)).length], [3, 0])
    assert.deepEqual(await counts(profile), [3, 3, 0])
  })

  test('a profile that is disconnected meanwhile gets no items', async () => {
    const { profile } = await broken('leaves')
    await use('leaves', fixed)
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
    const options = { signal: new AbortController().signal, alone: false, step: () => {} }
    await runProfile({ ...fixture.deps, database }, keyOf(profile), options)
    assert.ok(hasLeft)
    assert.deepEqual([(await ids(profile)).length, (await quarantined(profile)).length], [0, 0])
  })

  test('an operator retries all of an app at once; paused profiles wait until they are resumed', async () => {
    const { profile } = await broken('all')
    await use('all', fixed)
    await assert.rejects(retryAppQuarantine(fixture.deps, 'nobody', 'test'), { reason: 'not_found' })
    await pauseSync(fixture.deps, profile, 'test')
    assert.ok((await retryAppQuarantine(fixture.deps, fixture.appId, 'test')) >= 1)
    await fixture.run(profile)
    assert.equal((await quarantined(profile)).length, 2)
    await resumeSync(fixture.deps, profile, 'test')
    await fixture.run(profile)
    assert.deepEqual(await quarantined(profile), [])
  })
})
