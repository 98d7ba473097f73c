import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from 'pg'
import { deleteSome } from '#store/delete-in-batches.ts'
import { freshDatabase, type TestDatabase } from '../harness/database/database.ts'

const SOME = deleteSome('thing', 'shard, id', 'shard = $1 and owner = $2')

suite('deleting in batches', () => {
  let database: TestDatabase
  let client: Client
  before(async () => {
    database = await freshDatabase()
    client = new Client({ connectionString: database.url })
    await client.connect()
    // As a connection does that has executed the statement a few times.
    await client.query(
      `create table thing (shard int, id int, owner text, primary key (shard, id)); set plan_cache_mode = force_generic_plan;
       prepare batch (int, text) as ${SOME}; execute batch (1, 'nobody')`,
    )
    await client.query(
      `insert into thing select 1, n, 'ada' from generate_series(1, 10003) n; insert into thing values (1, 0, 'ben'), (2, 1, 'ada')`,
    )
  })
  after(async () => {
    await client.end()
    await database.drop()
  })

  test('a plan that was made while the table was empty compares no row with another', async () => {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>("explain execute batch (1, 'ada')")
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.doesNotMatch(plan, /Join|Nested Loop/, plan)
  })

  test('every row that meets the condition is deleted, and no other', async () => {
    const counts: (number | null)[] = []
    for (let n = 0; n < 4; n += 1) counts.push((await client.query("execute batch (1, 'ada')")).rowCount)
    assert.deepEqual(counts, [5000, 5000, 3, 0])
    const { rows } = await client.query('select shard, id, owner from thing order by shard')
    assert.deepEqual(rows, [
      { shard: 1, id: 0, owner: 'ben' },
      { shard: 2, id: 1, owner: 'ada' },
    ])
  })
})
