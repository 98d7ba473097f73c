import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkReadiness } from '#flows/operations/health.ts'
import { systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#store/migrate.ts'
import { openFresh, quiet } from '../../store/opened.ts'

const rest = { clock: systemClock, hasher: {} as never, isDraining: () => false }

test('readiness distinguishes pending migrations from an unreachable database, whatever the error says', async () => {
  const { database, close } = await openFresh()
  try {
    const look = () => checkReadiness({ database, ...rest })
    const before = await look()
    assert.deepEqual(before.checks.database, { ok: true, detail: 'responds' })
    assert.equal(before.checks.migrations.ok, false)
    assert.match(before.checks.migrations.detail, /^\d+ pending/)
    await migrate(database, 1)
    assert.equal((await look()).ready, true)
  } finally {
    await close()
  }
  const away = openDatabase({ url: 'postgres://nobody@pending.invalid/x', pool: 1, prepared: true, log: quiet })
  try {
    const { checks, ready } = await checkReadiness({ database: away, ...rest })
    assert.deepEqual([checks.database.ok, checks.migrations.ok, checks.queue.ok, ready], [false, false, false, false])
    assert.deepEqual(checks.database, checks.migrations)
    assert.match(checks.database.detail, /pending/, 'only then does this prove anything')
  } finally {
    await away.close()
  }
})
