import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../../harness/client-database.ts'
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
})
