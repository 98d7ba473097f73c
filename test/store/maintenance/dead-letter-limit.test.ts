import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { migrate } from '#store/migrate.ts'
import { limitDeadLetters } from '#store/push/dead-letter-limit.ts'
import { countDeadLetters } from '#store/push/deliveries.ts'
import { type Opened, openPrepared } from '../opened.ts'
import { fillTable } from './fill-table.ts'

suite('dead letters of a destination', () => {
  let opened: Opened
  let client: Client
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
    client = new Client({ connectionString: opened.url })
    await client.connect()
    await fillTable(client, 'app', 1, { id: `'app'` })
    for (const [id, count] of [
      ['dst_full', 6000],
      ['dst_some', 90],
    ] as const) {
      await fillTable(client, 'destination', 1, {
        id: `'${id}'`,
        name: `'${id}'`,
        app_id: `'app'`,
        kind: `'webhook'`,
        state: `'active'`,
      })
      await fillTable(client, 'dead_letter', count, { destination_id: `'${id}'`, at: 'n' })
    }
  })
  after(async () => {
    await client?.end()
    await opened?.close()
  })

  test('of too many the oldest are dropped and counted, destination by destination', async () => {
    const done: number[] = []
    let position: readonly (string | number)[] | undefined
    for (;;) {
      const batch = await limitDeadLetters(opened.database, position, 100)
      done.push(batch.done)
      if (!batch.more) break
      position = batch.position
    }
    assert.deepEqual(done, [5000, 900, 0, 0])
    assert.deepEqual(await countDeadLetters(opened.database, 'dst_full'), { n: 100, dropped: 5900 })
    assert.deepEqual(await countDeadLetters(opened.database, 'dst_some'), { n: 90, dropped: 0 })
    const { rows } = await client.query<{ oldest: number }>(
      `select min(at)::int as oldest from dead_letter where destination_id = 'dst_full'`,
    )
    assert.equal(rows[0]!.oldest, 5901)
  })

  test('killed between dropping and counting, neither happened', async () => {
    await fillTable(client, 'dead_letter', 50, { destination_id: `'dst_some'`, at: 'n' }, 1001)
    await client.query('alter table destination add constraint stuck check (dead_dropped <> 40)')
    await assert.rejects(limitDeadLetters(opened.database, ['dst_full'], 100), /stuck/)
    assert.deepEqual(await countDeadLetters(opened.database, 'dst_some'), { n: 140, dropped: 0 })
    await client.query('alter table destination drop constraint stuck')
    await limitDeadLetters(opened.database, ['dst_full'], 100)
    assert.deepEqual(await countDeadLetters(opened.database, 'dst_some'), { n: 100, dropped: 40 })
  })
})
