import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('the history of a destination', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    app = await harness.newTenant()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  test('has throughput and lag by period, of the own app only', async () => {
    await harness.put(await app.newPerson(), [
      { id: 'a', data: {} },
      { id: 'b', data: {} },
    ])
    harness.pass(90_000)
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await app.caughtUp(made)
    const { body } = await app.ask('GET', `/push/${made.id}/history`)
    const [period, ...others] = body as unknown as { rows: number; batches: number; failed: number; lag_ms: number }[]
    assert.deepEqual([period?.rows, period?.batches, period?.failed, others.length], [2, 1, 0, 0])
    assert.ok(period!.lag_ms >= 90_000, String(period!.lag_ms))
    for (const query of ['step=1000', 'since=0&step=60000', 'step=x'])
      assert.equal((await app.ask('GET', `/push/${made.id}/history?${query}`)).body['reason'], 'bad_parameter', query)
    const other = await harness.newTenant()
    for (const path of ['history', 'dead-letters/reasons'])
      assert.equal((await other.ask('GET', `/push/${made.id}/${path}`)).status, 404)
    assert.equal((await other.ask('POST', `/push/${made.id}/redrive`, {})).status, 404)
  })

  test('groups dead letters by reason, and tries those of one profile again', async () => {
    const own = await harness.newTenant()
    const [ada, bob] = [await own.newPerson(), await own.newPerson()]
    const made = await own.add({ kind: 'postgres', url: theirs.url, options: { schema: 'poison' } })
    await harness.put(ada, [{ id: 'a', data: {} }])
    await until('a row is there', async () => (await own.show(made)).rows === 1)
    await theirs.sql('alter table poison.tributary_items add constraint short check (length(native_id) < 4)')
    await harness.put(ada, [
      { id: 'long-1', data: {} },
      { id: 'long-2', data: {} },
    ])
    await harness.put(bob, [{ id: 'long-3', data: {} }])
    await until('three rows are rejected', async () => (await own.show(made)).dead_letters === 3)
    const reasons = (await own.ask('GET', `/push/${made.id}/dead-letters/reasons`)).body as unknown as Record<
      string,
      unknown
    >[]
    assert.deepEqual(
      reasons.map(({ dead_letters, profiles }) => [dead_letters, profiles]),
      [[3, 2]],
    )
    assert.match(String(reasons[0]?.['reason']), /short/)
    await theirs.sql('alter table poison.tributary_items drop constraint short')
    const letters = (await own.ask('GET', `/push/${made.id}/dead-letters`)).body as unknown as {
      profile: string
      item: string
    }[]
    const counts = Map.groupBy(letters, ({ profile }) => profile)
    const [single] = [...counts].find(([, of]) => of.length === 1)!
    const again = await own.ask('POST', `/push/${made.id}/redrive`, { profile: single })
    assert.deepEqual([again.status, again.body['profiles']], [202, 1])
    await until('its row is delivered', async () => (await own.show(made)).dead_letters === 2)
    assert.equal((await own.ask('POST', `/push/${made.id}/redrive`, { profile: single })).status, 404)
    assert.equal((await own.ask('POST', `/push/${made.id}/redrive`)).status, 202)
    await until('all rows are delivered', async () => (await own.show(made)).dead_letters === 0)
  })
})
