import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Database, statement } from '#platform/postgres/database.ts'
import { auditStrangers, purgeAudit } from '#store/audit.ts'
import { migrate } from '#store/migrate.ts'
import { type Opened, openPrepared } from '../opened.ts'

const entries = statement('strangers-entries', 'select at, action, detail from audit where app_id = $1 order by at')

suite('what strangers can cause', () => {
  let opened: Opened
  let other: Database
  before(async () => {
    opened = await openPrepared()
    await migrate(opened.database, 1)
    other = opened.another()
  })
  after(() => opened?.close())
  const refused = (at: number, attempt: number, action = 'callback.refused') =>
    auditStrangers(attempt % 2 === 0 ? opened.database : other, 'app', {
      at,
      actor: 'person',
      action,
      detail: { attempt },
    })
  const listed = () =>
    opened.database.rows<{ at: number; action: string; detail: Record<string, number> }>(entries, ['app'])

  test('is one entry for each minute and action, by any number of processes', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => refused(60_000 + n, n)))
    const [first, ...others] = await listed()
    assert.deepEqual([others.length, first?.detail['attempts']], [0, 20])
    await refused(119_999, 20)
    await refused(120_000, 21)
    await refused(120_001, 22, 'other')
    assert.deepEqual(
      (await listed()).map(({ at, detail }) => [at, detail]),
      [
        [119_999, { attempt: 20, attempts: 21 }],
        [120_000, { attempt: 21 }],
        [120_001, { attempt: 22 }],
      ],
    )
  })

  test('goes with its age', async () => {
    assert.equal((await purgeAudit(opened.database, 120_000)).done, 1)
    assert.equal((await listed()).length, 2)
  })
})
