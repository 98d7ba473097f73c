import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'
import { mysqlFixture } from './kinds/mysql-fixture.ts'
import { startReceiver } from './receiver.ts'

const NOTHING = { missing: 0, different: 0, extra: 0, repaired: 0 }

suite('verify and repair', () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
  })
  after(async () => {
    await harness.stop()
    await theirs.drop()
  })

  const verify = async (app: Tenant, { id }: { id: string }, repair = false) => {
    const response = await app.ask('POST', `/push/${id}/verify`, { repair })
    assert.equal(response.status, 200, response.text)
    return response.body
  }

  /** Two people; one has more items than a page and a batch. */
  const people = async (app: Tenant) => {
    const [ada, ben] = [await app.newPerson(), await app.newPerson()]
    await harness.put(
      ada,
      Array.from({ length: 700 }, (_, i) => ({ id: `n${i}`, text: `text ${i}`, participants: [`p${i}`, 'ü'] })),
    )
    await harness.put(
      ben,
      Array.from({ length: 50 }, (_, i) => ({ id: `b${i}` })),
    )
    await harness.take(ben, ['b7'])
    return { ada, ben }
  }

  test('P16 100 corrupted rows in postgres are found and repaired', async () => {
    const app = await harness.newTenant()
    const { ada } = await people(app)
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await until('all are delivered', async () => (await theirs.live()).length === 749)
    await app.caughtUp(made)
    assert.deepEqual(await verify(app, made), { profiles: 2, rows: 749, ...NOTHING })
    const content = async () =>
      JSON.stringify(
        await Promise.all([
          theirs.sql('select * from tributary_items where deleted_at is null order by profile_id, id'),
          theirs.sql('select * from tributary_participants order by 1, 2, 3'),
        ]),
      )
    const right = await content()

    const some = (n: number) =>
      `(profile_id, id) in (select profile_id, id from tributary_items where deleted_at is null and data::text not like '%broken%'
         and native_id like 'n%' order by random() limit ${n})`
    await theirs.sql(`update tributary_items set data = '{"broken": 1}' where ${some(20)}`)
    // A seq that is too great would refuse every later write.
    await theirs.sql(`update tributary_items set data = '{"broken": 2}', seq = seq + 100000 where ${some(20)}`)
    await theirs.sql(`update tributary_items set deleted_at = now(), data = '{"broken": 3}' where ${some(20)}`)
    await theirs.sql(`update tributary_items set lat = 1, author = 'eve', data = '{"broken": 4}' where ${some(19)}`)
    await theirs.sql(`delete from tributary_items where ${some(20)}`)
    const [lonely] = await theirs.sql<{ item_id: string }>(
      `delete from tributary_participants p using tributary_items i where i.profile_id = p.profile_id and i.id = p.item_id and i.data::text not like '%broken%'
         and i.id = (select id from tributary_items where data::text not like '%broken%' and native_id like 'n%' limit 1) returning p.item_id`,
    )
    assert.ok(lonely !== undefined)
    await theirs.sql(
      `insert into tributary_items select profile_id, 'f' || substr(id, 2, 31) || '_x', idr, service, endpoint, 'forged', at, updated_at, types, guid, author, lat, lng, oembed, map, data, seq
       from tributary_items where native_id = 'b1'`,
    )
    const found = { profiles: 2, rows: 749, missing: 20, different: 80, extra: 1 }
    assert.deepEqual(await verify(app, made), { ...found, repaired: 0 })
    // While nothing is delivered: a row that is delivered again during the comparison is not found.
    await app.ask('POST', `/push/${made.id}/pause`)
    assert.deepEqual(await verify(app, made, true), { ...found, repaired: 1 })
    await app.ask('POST', `/push/${made.id}/resume`)
    await app.caughtUp(made)
    assert.deepEqual(await verify(app, made), { profiles: 2, rows: 749, ...NOTHING })
    assert.equal(await content(), right)

    // An undelivered change is not a difference.
    await app.ask('POST', `/push/${made.id}/pause`)
    await harness.put(ada, [{ id: 'n1', text: 'new' }, { id: 'fresh' }])
    await harness.take(ada, ['n2'])
    assert.deepEqual(await verify(app, made), { profiles: 2, rows: 747, ...NOTHING })
    await app.ask('DELETE', `/push/${made.id}`)
  })

  test('P16 corrupted rows in mysql are found and repaired', { skip: mysqlFixture.skip }, async () => {
    const database = await mysqlFixture.open()
    const { hostname, port, pathname, username } = new URL(database.url)
    const client = await createConnection({
      host: hostname,
      port: Number(port),
      user: username,
      database: pathname.slice(1),
    })
    const sql = async (text: string) => (await client.query<RowDataPacket[]>(text))[0]
    try {
      const app = await harness.newTenant()
      await people(app)
      const made = await app.add({ kind: 'mysql', url: database.url })
      await until('it is delivered', async () => (await app.show(made)).rows >= 750)
      await app.caughtUp(made)
      assert.deepEqual(await verify(app, made), { profiles: 2, rows: 749, ...NOTHING })
      const right = await database.everything()
      await sql(`update tributary_items set data = '{}' where native_id like 'n1_'`)
      await sql(`update tributary_items set data = '{}', seq = seq + 100000 where native_id like 'n2_'`)
      await sql(`update tributary_items set deleted_at = now() where native_id like 'n3_'`)
      await sql(`delete from tributary_items where native_id like 'n4_'`)
      await sql(`update tributary_participants set participant = 'eve' where participant like 'p5_'`)
      const found = { profiles: 2, rows: 749, missing: 10, different: 40, extra: 0 }
      assert.deepEqual(await verify(app, made), { ...found, repaired: 0 })
      await app.ask('POST', `/push/${made.id}/pause`)
      assert.deepEqual(await verify(app, made, true), { ...found, repaired: 1 })
      await app.ask('POST', `/push/${made.id}/resume`)
      await app.caughtUp(made)
      assert.deepEqual(await verify(app, made), { profiles: 2, rows: 749, ...NOTHING })
      assert.equal((await database.everything()).replaceAll(/"epoch":\d+/g, ''), right.replaceAll(/"epoch":\d+/g, ''))
    } finally {
      await client.end()
      await database.close()
    }
  })

  test('a request that runs out of time says where to continue, also in the middle of a profile', async () => {
    const hurried = await startPushHarness({ verifyMs: 0 })
    const database = await clientDatabase()
    try {
      const app = await hurried.newTenant()
      const ada = await app.newPerson()
      await hurried.put(
        ada,
        Array.from({ length: 700 }, (_, i) => ({ id: `n${i}` })),
      )
      await hurried.put(await app.newPerson(), [{ id: 'other' }])
      const made = await app.add({ kind: 'postgres', url: database.url })
      await until('all are delivered', async () => (await database.live()).length === 701)
      await app.caughtUp(made)
      await database.sql(`update tributary_items set data = '{}' where native_id like 'n%5'`)
      await database.sql(`delete from tributary_items where native_id like 'n%7'`)
      const whole = async (repair: boolean) => {
        const sum = { asked: 0, profiles: 0, rows: 0, missing: 0, different: 0, extra: 0 }
        for (let after: string | undefined; ; ) {
          const response = await app.ask('POST', `/push/${made.id}/verify`, { repair, ...(after ? { after } : {}) })
          assert.equal(response.status, 200, response.text)
          sum.asked += 1
          for (const name of ['profiles', 'rows', 'missing', 'different', 'extra'] as const)
            sum[name] += Number(response.body[name])
          after = response.body['next'] as string | undefined
          if (after === undefined) return sum
        }
      }
      const found = { profiles: 2, rows: 701, missing: 70, different: 70, extra: 0 }
      const { asked, ...seen } = await whole(false)
      assert.deepEqual(seen, found)
      assert.ok(asked >= 5, `${asked} requests`)
      // Rows that are delivered again between two requests are correct by then.
      const { rows, profiles } = await whole(true)
      assert.deepEqual([rows, profiles], [701, 2])
      await app.caughtUp(made)
      const { asked: _, ...after } = await whole(false)
      assert.deepEqual(after, { profiles: 2, rows: 701, missing: 0, different: 0, extra: 0 })
      const forged = await app.ask('POST', `/push/${made.id}/verify`, { after: 'somebody.x.1' })
      assert.equal(forged.status, 400)
    } finally {
      await hurried.stop()
      await database.drop()
    }
  })

  test('a destination that cannot be read or reached is refused with the reason', async () => {
    const app = await harness.newTenant()
    const receiver = await startReceiver()
    const hook = await app.add({ kind: 'webhook', url: receiver.url })
    const response = await app.ask('POST', `/push/${hook.id}/verify`, {})
    assert.deepEqual([response.status, /webhook destination cannot be read/.test(response.text)], [400, true])
    await receiver.close()
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await theirs.line.cut()
    assert.equal((await app.ask('POST', `/push/${made.id}/verify`, {})).status, 502)
    await theirs.line.mend()
    const other = await harness.newTenant()
    assert.equal((await other.ask('POST', `/push/${made.id}/verify`, {})).status, 404)
  })
})
