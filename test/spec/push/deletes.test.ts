import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/client-database.ts'
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
})
