import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { createApp, getApp, listApps } from '#flows/apps/apps.ts'
import { authenticateApp } from '#flows/apps/authenticate-app.ts'
import { listServiceKeys, setServiceKey } from '#flows/apps/keys.ts'
import { Keyring } from '#platform/crypto/sealing.ts'
import { SetupError } from '#platform/errors.ts'
import type { Database } from '#platform/postgres/database.ts'
import { readIndexSteps } from '#store/index-steps.ts'
import { migrate } from '#store/migrate.ts'
import { readMigrations } from '#store/read-migrations.ts'
import { openHasher } from '#store/vault.ts'
import { type Opened, openFresh } from './opened.ts'
import { knowsPreparedStatements, missing, startPooler } from './pgbouncer.ts'

const keyring = new Keyring([randomBytes(32)])
const clock = { now: () => Date.now() }

/** Everything the store does, many times at once, so that a pooler mixes the connections. */
async function exercise(database: Database): Promise<void> {
  await migrate(database, 1)
  const hasher = await openHasher(database, keyring)
  const deps = { database, hasher, keyring, clock }
  const before = (await listApps(deps)).length
  const ids = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const { app, secret } = await createApp(deps, { name: `n${i}`, redirectUris: ['https://a.test/'] }, 'test')
      await setServiceKey(deps, app.id, { service: 'github', key: `k${i}`, secret: 's' }, 'test')
      assert.equal((await authenticateApp(deps, app.id, secret, '10.0.0.1')).id, app.id)
      await assert.rejects(authenticateApp(deps, app.id, 'wrong', `10.0.0.${i}`))
      assert.equal((await listServiceKeys(deps, app.id))[0]?.key, `k${i}`)
      return app.id
    }),
  )
  for (const id of ids) assert.equal((await getApp(deps, id)).app.id, id)
  assert.equal((await listApps(deps)).length, before + ids.length)
}

let opened: Opened
before(async () => {
  opened = await openFresh()
})
after(() => opened.close())

test('the store works with named statements', () => exercise(opened.another({ prepared: true })))

test('the store works without named statements', () => exercise(opened.another({ prepared: false })))

suite('behind PgBouncer in transaction mode', { skip: missing }, () => {
  let pooler: Awaited<ReturnType<typeof startPooler>>
  before(async () => {
    pooler = await startPooler(opened.url)
  })
  after(() => pooler.stop())

  test('the store works without named statements', () =>
    exercise(opened.another({ url: pooler.url, prepared: false, pool: 10 })))

  test('the store works with named statements, or names the setting where the pooler does not support them', async () => {
    const work = exercise(opened.another({ url: pooler.url, prepared: true, pool: 10 }))
    if (knowsPreparedStatements) return work
    await assert.rejects(
      work,
      (error) =>
        error instanceof SetupError && error.code === 'pooler_unprepared' && /DATABASE_PREPARED=false/.test(error.help),
    )
  })

  // This runs last: the database then belongs to a newer release.
  test('an index is built outside a transaction, under the lock that another connection holds', async () => {
    const ours = readMigrations()
    const name = `${String(ours.length + 1).padStart(4, '0')}-index.sql`
    const sql = 'create index concurrently pooled_app on app (created_at)'
    const next = { name, sql, checksum: 'x', indexSteps: readIndexSteps(name, sql) }
    await migrate(opened.database, 1)
    const pooled = opened.another({ url: pooler.url, prepared: false, pool: 4 })
    assert.deepEqual(await migrate(pooled, 2, [...ours, next]), [name])
  })
})
