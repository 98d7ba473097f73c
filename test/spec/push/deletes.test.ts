import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/database/client-database.ts'
import { send } from '../../harness/send.ts'
import { until } from '../../harness/until.ts'
import { type PushHarness, startPushHarness } from './fixture.ts'

suite('deletes', () => {
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

  test('P09 soft and hard deletes, undelete, filter change and erasure leave the rows that the option says', async () => {
    const app = await harness.newTenant()
    const ada = await app.newPerson()
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    const rows = async () =>
      (
        await theirs.sql<{ row: string }>(
          `select native_id || case when deleted_at is null then '' else ' gone' end as row from tributary_items order by 1`,
        )
      )
        .map(({ row }) => row)
        .join()
    const has = (wanted: string) => until(`there is ${wanted}`, async () => (await rows()) === wanted)
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    await app.caughtUp(made)
    await harness.take(ada, ['a'])
    await has('a gone,b,c')

    const wrong = await app.ask('PATCH', `/push/${made.id}`, { options: { deletes: 'never' } })
    assert.deepEqual([wrong.status, /options.deletes: must be soft or hard/.test(wrong.text)], [400, true])
    assert.equal((await app.ask('PATCH', `/push/${made.id}`, { options: { deletes: 'hard' } })).status, 200)
    await has('b,c')
    await harness.take(ada, ['b'])
    await has('c')
    await harness.put(ada, [{ id: 'b' }])
    await has('b,c')
    await app.ask('PATCH', `/push/${made.id}`, { filter: ['/services/self/things?q=nothing'] })
    await has('')
    await app.ask('PATCH', `/push/${made.id}`, { filter: ['*'], options: { deletes: 'soft' } })
    await has('b,c')
    await harness.take(ada, ['c'])
    await has('b,c gone')
    const headers = { authorization: `Bearer ${ada.token}` }
    const gone = await fetch(`${harness.tributary.url}/profiles`, { method: 'DELETE', headers })
    await gone.body?.cancel()
    await has('')
    assert.deepEqual(await theirs.sql('select * from tributary_profiles'), [])
  })

  test('own items of merged accounts are one row for each id, also when they are replaced or deleted', async () => {
    const app = await harness.newTenant()
    const [source, dest] = [await app.newPerson(), await app.newPerson()]
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    const rows = async () =>
      (
        await theirs.sql<{ row: string }>(
          `select native_id || ' ' || (data->>'text') as row from tributary_items where deleted_at is null order by 1`,
        )
      ).map(({ row }) => row)
    const has = (wanted: string[]) =>
      until(`there is ${wanted.join()}`, async () => (await rows()).join() === wanted.join())
    await harness.put(source, [
      { id: 'both', text: 'source' },
      { id: 'theirs', text: 'source' },
    ])
    harness.pass(60_000)
    await harness.put(dest, [{ id: 'both', text: 'dest' }])
    await has(['both dest', 'both source', 'theirs source'])
    const asDest = (method: string, path: string) => send(harness, method, path, { token: dest.token })
    const query = `source=${source.token}&dest=${dest.token}`
    assert.equal((await asDest('GET', `/auth/merge?${query}`)).status, 200)
    await has(['both dest', 'theirs source'])
    await harness.put(dest, [
      { id: 'both', text: 'new' },
      { id: 'theirs', text: 'new' },
    ])
    await has(['both new', 'theirs new'])
    assert.equal((await asDest('DELETE', '/services/self/things/theirs')).status, 200)
    await has(['both new'])
    await app.caughtUp(made)
    const verified = await app.ask('POST', `/push/${made.id}/verify`, {})
    const { missing, different, extra } = verified.body as Record<string, number>
    assert.deepEqual([verified.status, missing, different, extra], [200, 0, 0, 0])
  })

  test('a drop that fails half-way says what is gone, stays paused, and is continued by the next one', async () => {
    const objects = new Set<string>()
    let removable = 3
    const store = createServer((request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?')
      const key = decodeURIComponent(path).replace('/bucket/', '')
      const prefix = new URLSearchParams(query).get('prefix')
      if (request.method === 'DELETE' && removable === 0) return response.writeHead(503).end('<Code>SlowDown</Code>')
      if (request.method === 'DELETE' && objects.delete(key)) removable -= 1
      if (prefix === null) return response.end()
      const found = [...objects].filter((name) => name.startsWith(prefix))
      const contents = found.map((name) => `<Contents><Key>${name}</Key></Contents>`)
      return response.end(`<ListBucketResult>${contents.join('')}</ListBucketResult>`)
    }).listen(0, '127.0.0.1')
    await once(store, 'listening')
    try {
      const url = `s3://k:s@127.0.0.1:${(store.address() as AddressInfo).port}/bucket?tls=false`
      const own = await harness.newTenant()
      const made = await own.add({ kind: 'files', url })
      for (let i = 0; i < 7; i += 1) objects.add(`${made.id}/profile/${i}.ndjson`)
      const dropped = () => own.ask('DELETE', `/push/${made.id}?drop=true`)
      const failed = await dropped()
      assert.deepEqual([failed.status, failed.body['reason']], [502, 'destination_failed'])
      assert.match(String(failed.body['error']), /^Only a part was deleted \(3 objects are gone\).*paused; repeat.*503/)
      assert.equal(objects.size, 4)
      assert.equal((await own.show(made)).state, 'paused')
      assert.match(String((await dropped()).body['error']), /^Nothing was deleted: .*503/)
      removable = 1000
      assert.equal((await dropped()).status, 200)
      assert.equal(objects.size, 0)
    } finally {
      store.close()
      store.closeAllConnections()
    }
  })

  test('a drop in one transaction that fails deletes nothing, and says so', async () => {
    const app = await harness.newTenant()
    await harness.put(await app.newPerson(), [{ id: 'stays' }])
    const made = await app.add({ kind: 'postgres', url: theirs.url })
    await until('the row is delivered', async () => (await app.show(made)).rows > 0)
    await theirs.sql('create view theirs as select * from tributary_items')
    const { body } = await app.ask('DELETE', `/push/${made.id}?drop=true`)
    assert.match(String(body['error']), /^Nothing was deleted: .*depend/)
    assert.equal((await app.show(made)).state, 'active')
    await theirs.sql('drop view theirs')
    await app.ask('DELETE', `/push/${made.id}?drop=true`)
  })
})
