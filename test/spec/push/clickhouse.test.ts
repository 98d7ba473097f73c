import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { type ClickhouseServer, clickhouseServerMissing, startClickhouseServer } from './kinds/clickhouse-server.ts'

const NOTHING = { missing: 0, different: 0, extra: 0, repaired: 0 }

suite('push into ClickHouse', { skip: clickhouseServerMissing }, () => {
  let harness: PushHarness
  let server: ClickhouseServer
  let app: Tenant
  before(async () => {
    server = await startClickhouseServer()
    harness = await startPushHarness({ firstWaitMs: 50 })
    app = await harness.newTenant()
  })
  after(async () => {
    await harness?.stop()
    await server?.stop()
  })

  const address = () => `clickhouse://writer:right@127.0.0.1:${server.port}/default?sslmode=disable`
  const count = async (sql: string) => Number(await server.ask(sql))
  const items = (where = '1') =>
    count(`select count() from tributary_items final where deleted_at is null and ${where}`)

  test('delivers changes, survives a killed server, is verified and repaired, erases and drops', async () => {
    const [ada, ben] = [await app.newPerson(), await app.newPerson()]
    const many = Array.from({ length: 700 }, (_, i) => ({
      id: `n${i}`,
      type: 'photos' as const,
      title: `A photo ${i}`,
      lat: 52.520_006_6 + (i % 200) / 7,
      lng: -13.404_954,
    }))
    await harness.put(ada, many)
    await harness.put(ben, [{ id: 'b' }])
    const made = await app.add({ kind: 'clickhouse', url: address() })
    assert.equal(made['url'], `clickhouse://writer:***@127.0.0.1:${server.port}/default?sslmode=disable`)
    await app.caughtUp(made)
    assert.equal(await items(), 701)
    assert.equal(await count(`select count() from tributary_photos where title like 'A photo%'`), 700)
    const verify = async (repair = false) => (await app.ask('POST', `/push/${made.id}/verify`, { repair })).body
    assert.deepEqual(await verify(), { profiles: 2, rows: 701, ...NOTHING })

    // Changes during an outage arrive afterwards, once.
    const crash = server.crash()
    await harness.put(ada, [{ id: 'n1', type: 'photos', title: 'Changed' }])
    await harness.take(ada, ['n2'])
    await crash
    await until('they arrive', async () => (await items(`title = 'Changed'`)) === 1 && (await items()) === 700)
    await app.caughtUp(made)
    assert.deepEqual(await verify(), { profiles: 2, rows: 700, ...NOTHING })

    // Rows that somebody altered, added and removed.
    await server.ask(`alter table tributary_items delete where native_id = 'n3'`)
    await until('the row is gone', async () => (await items(`native_id = 'n3'`)) === 0)
    await server.ask(
      `insert into tributary_items (profile_id, id, native_id, data, seq) select profile_id, concat('0', id), 'stray', data, seq from tributary_items final where native_id = 'n4'`,
    )
    const found = await verify(true)
    assert.deepEqual(found, { profiles: 2, rows: 700, missing: 1, different: 0, extra: 1, repaired: 1 })
    await app.caughtUp(made)
    assert.deepEqual(await verify(), { profiles: 2, rows: 700, ...NOTHING })

    const tried = await app.ask('POST', `/push/${made.id}/test`)
    assert.equal(tried.body['ok'], true, tried.text)
    assert.deepEqual(tried.body['matches'], { profiles: 2, items: 700, exact: true })

    // A changed filter removes what no longer matches; a password that became wrong is not repeated.
    await app.ask('PATCH', `/push/${made.id}`, { filter: ['/types/photos?q=changed'] })
    await until('only one is left', async () => (await items()) === 1)
    await app.ask('PATCH', `/push/${made.id}`, { url: address().replace('right', 'Wr0ngSecret') })
    await until('it fails', async () => (await app.show(made)).state === 'failing')
    const failing = JSON.stringify(await app.show(made))
    assert.match(failing, /Wrong password|Authentication failed/)
    assert.doesNotMatch(failing, /Wr0ngSecret/)
    await app.ask('PATCH', `/push/${made.id}`, { url: address(), filter: ['*'] })
    await app.ask('POST', `/push/${made.id}/resume`)
    await until('everything is there again', async () => (await items()) === 700)

    const gone = await fetch(`${harness.tributary.url}/profiles`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${ada.token}` },
    })
    assert.equal(gone.status, 200, await gone.text())
    await until(
      'nothing of her is left',
      async () =>
        // Also older versions of rows, which a background merge may not have removed yet; those of the other person may stay.
        (await count(`select count() from tributary_items where native_id <> 'b'`)) === 0 &&
        (await count('select count() from tributary_profiles final')) === 1,
    )
    assert.equal(await items(`native_id = 'b'`), 1)
    assert.equal((await app.ask('DELETE', `/push/${made.id}?drop=true`)).status, 200)
    assert.equal(await count(`select count() from system.tables where name like 'tributary%'`), 0)
  })
})
