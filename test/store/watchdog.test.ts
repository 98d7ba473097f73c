import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Pool } from 'pg'
import { isUnavailable } from '#platform/errors.ts'
import { startWatchdog, type Watchdog } from '#platform/postgres/watchdog.ts'
import { freshDatabase } from '../harness/database/database.ts'

/** Many times as long as the quick statements below take, so that a loaded machine does not reach it. */
const LIMIT_MS = 1000

suite('a connection that waits too long for a result', () => {
  let drop: () => Promise<void>
  let pool: Pool
  let watch: Watchdog
  let cuts = 0
  before(async () => {
    const fresh = await freshDatabase()
    drop = fresh.drop
    pool = new Pool({ connectionString: fresh.url, max: 1 })
    pool.on('error', () => {})
    watch = startWatchdog(pool, LIMIT_MS, () => {
      cuts += 1
    })
  })
  after(async () => {
    watch.stop()
    await pool.end()
    await drop()
  })

  test('is cut, reported as an unavailable database, and replaced', async () => {
    await assert.rejects(pool.query('select pg_sleep(60)'), (error) => isUnavailable(error))
    assert.equal(cuts, 1)
    assert.deepEqual((await pool.query('select 1 as one')).rows, [{ one: 1 }])
  })

  test('is kept between two quick statements, however long both take together', async () => {
    const client = await pool.connect()
    for (let i = 0; i < 6; i += 1) await client.query('select pg_sleep(0.2)')
    client.release()
    assert.equal(cuts, 1)
  })

  test('is kept while it is exempt, and only until it is released', async () => {
    const client = await pool.connect()
    watch.exempt(client)
    await client.query('select pg_sleep(1.5)')
    client.release()
    assert.equal(cuts, 1)
    await assert.rejects(pool.query('select pg_sleep(60)'))
    assert.equal(cuts, 2)
  })
})
