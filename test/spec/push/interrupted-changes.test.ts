import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { continueAppWakes } from '#flows/sync/schedule/wake-app.ts'
import { watchStatements } from '../../harness/database/statements.ts'
import { purgeExpired } from '../../harness/maintenance.ts'
import type { Shown } from '../../harness/push.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const PEOPLE = 4
/** After this time a planner takes over what another process left. */
const ABANDONED_MS = 121_000

/** A change of a destination is stored first; its cursors, which lie in many shards, follow one shard at a time. */
suite('a process that is killed between a change and the cursors of its destination', () => {
  let harness: PushHarness
  let receiver: Receiver
  let app: Tenant
  let made: Shown
  before(async () => {
    harness = await startPushHarness()
    receiver = await startReceiver()
    app = await harness.newTenant()
    made = await app.add({ kind: 'webhook', url: receiver.url })
    for (let i = 0; i < PEOPLE; i += 1) await harness.put(await app.newPerson(), [{ id: `thing-${i}` }])
    await app.caughtUp(made)
  })
  after(async () => {
    await harness.stop()
    await receiver.close()
  })

  /** Does something during which the nth statement of a name fails, as if the process ended there. */
  async function interrupted<Result>(name: string, nth: number, work: () => Promise<Result>): Promise<Result> {
    let seen = 0
    const stop = watchStatements(harness.tributary.store.database, (statement) => {
      if (statement.name !== name) return undefined
      seen += 1
      if (seen === nth) throw new Error('interrupted on purpose')
      return undefined
    })
    try {
      return await work()
    } finally {
      stop()
      assert.ok(seen >= nth, `${name} was executed`)
    }
  }
  const ask = (method: string, path: string, body?: unknown) => app.ask(method, `/push/${made.id}${path}`, body)
  const isPending = async () =>
    (await harness.sql('select 1 from destination where id = $1 and pending_sweep is not null', [made.id])).length > 0
  const cursors = <Row extends object>(columns: string) =>
    harness.sql<Row>(`select ${columns} from delivery_cursor where destination_id = $1`, [made.id])
  const repaired = async () => {
    assert.equal(await isPending(), true)
    harness.pass(ABANDONED_MS)
    await until('the planner has finished it', async () => !(await isPending()))
  }
  const generations = async () => (await cursors<{ generation: number }>('generation')).map((each) => each.generation)

  test('a new filter: the planner sends everything again, of every profile', async () => {
    const { status } = await interrupted('cursor-rewind', 3, () => ask('PATCH', '', { filter: ['*'] }))
    assert.equal(status, 500)
    assert.deepEqual(
      (await generations()).sort((a, b) => a - b),
      [0, 0, 1, 1],
    )
    await repaired()
    assert.ok((await generations()).every((generation) => generation > 0))
    await app.caughtUp(made)
    const ids = receiver.changes().map(({ native_id: id }) => id)
    for (let i = 0; i < PEOPLE; i += 1) assert.ok(ids.filter((id) => id === `thing-${i}`).length > 1)
  })

  test('a replay: the planner continues it', async () => {
    const before = Math.max(...(await generations()))
    await interrupted('cursor-rewind', 2, () => ask('POST', '/backfill', {}))
    await repaired()
    assert.ok((await generations()).every((generation) => generation > 0))
    assert.ok(Math.max(...(await generations())) > before)
    await app.caughtUp(made)
  })

  test('a new schedule: every cursor gets it', async () => {
    const scheduled = async () => (await cursors<{ scheduled: boolean }>('scheduled')).map((each) => each.scheduled)
    await interrupted('cursor-scheduled', 2, () => ask('PATCH', '', { schedule: '0 6 * * *' }))
    assert.deepEqual(
      (await scheduled()).sort((a, b) => Number(a) - Number(b)),
      [false, false, false, true],
    )
    await repaired()
    assert.deepEqual(await scheduled(), [true, true, true, true])
    await interrupted('cursor-scheduled', 1, () => ask('PATCH', '', { schedule: 'on_change' }))
    await repaired()
    assert.deepEqual(await scheduled(), [false, false, false, false])
  })

  test('a pause: runs lose their leases', async () => {
    await interrupted('cursor-stop-runs', 1, () => ask('POST', '/pause', {}))
    await harness.sql('update delivery_cursor set lease_token = $2 where destination_id = $1', [made.id, 'a run'])
    await repaired()
    assert.deepEqual(
      await cursors('lease_token'),
      Array.from({ length: PEOPLE }, () => ({ lease_token: null })),
    )
    assert.equal((await app.show(made)).state, 'paused')
    assert.equal((await ask('POST', '/resume', {})).status, 200)
  })

  test('dead letters: all are tried again', async () => {
    await harness.sql('update delivery_cursor set dead = true where destination_id = $1', [made.id])
    const revisions = async () => (await cursors<{ revision: number }>('revision::int')).map((each) => each.revision)
    await app.caughtUp(made)
    const before = await revisions()
    await interrupted('cursor-redrive', 3, () => ask('POST', '/redrive', {}))
    await repaired()
    await app.caughtUp(made)
    const sum = (list: number[]) => list.reduce((a, b) => a + b, 0)
    assert.ok(sum(await revisions()) >= sum(before) + PEOPLE)
  })

  test('two changes at once: what the first has left is done with the second', async () => {
    await interrupted('cursor-scheduled', 1, () => ask('PATCH', '', { schedule: '0 6 * * *' }))
    assert.equal(await isPending(), true)
    assert.equal((await ask('PATCH', '', { name: 'Renamed' })).status, 200)
    assert.equal(await isPending(), false)
    assert.deepEqual(
      await cursors('scheduled'),
      Array.from({ length: PEOPLE }, () => ({ scheduled: true })),
    )
  })

  test('a new destination: it is created, and maintenance opens its cursors', async () => {
    const second = await interrupted('cursor-open-destination', 1, () =>
      app.add({ kind: 'webhook', url: receiver.url, name: 'Second' }),
    )
    const opened = () => harness.sql('select 1 from delivery_cursor where destination_id = $1', [second.id])
    assert.equal((await opened()).length, 0)
    await purgeExpired({ database: harness.tributary.store.database, clock: harness.clock })
    assert.equal((await opened()).length, PEOPLE)
    await app.caughtUp(second)
    assert.equal((await app.ask('DELETE', `/push/${second.id}`)).status, 200)
    assert.equal((await opened()).length, 0)
  })

  test('rules of the app: maintenance makes its endpoints due', async () => {
    const { database } = harness.tributary.store
    const { status } = await interrupted('endpoint-wake-app', 2, () =>
      harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/sync`, { off: ['social'] }),
    )
    assert.equal(status, 500)
    const isRequested = async () =>
      (await harness.sql('select 1 from app where wake_requested_at is not null')).length > 0
    assert.equal(await isRequested(), true)
    assert.equal(
      await continueAppWakes({ database, clock: harness.clock }),
      0,
      'a moment later it may still be at work',
    )
    harness.pass(ABANDONED_MS)
    assert.equal(await continueAppWakes({ database, clock: harness.clock }), 1)
    assert.equal(await isRequested(), false)
  })

  test('its deletion: it is gone, and maintenance removes the rest', async () => {
    await interrupted('cursor-remove-all', 2, () => ask('DELETE', ''))
    assert.equal((await ask('GET', '')).status, 404)
    assert.equal((await cursors('1')).length, PEOPLE - 1)
    await purgeExpired({ database: harness.tributary.store.database, clock: harness.clock })
    assert.equal((await cursors('1')).length, 0)
  })
})
