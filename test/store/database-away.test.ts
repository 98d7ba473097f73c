import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openDatabase, statement } from '#platform/postgres/database.ts'
import { type CuttableLine, cuttableLine } from '../harness/database/cuttable-line.ts'
import { freshDatabase } from '../harness/database/database.ts'
import { quiet } from './opened.ts'

const one = statement('t-one', 'select 1 as one')

suite('an unreachable database', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  let line: CuttableLine
  before(async () => {
    fresh = await freshDatabase()
    line = await cuttableLine(fresh.url)
  })
  after(async () => {
    await line.close()
    await fresh.drop()
  })

  test('is reported by the query that cannot connect, because no idle connection may exist to report it', async () => {
    let reports = 0
    const onLost = () => {
      reports += 1
    }
    const database = openDatabase({ url: line.url, pool: 1, prepared: true, log: quiet, onLost })
    await line.cut()
    await assert.rejects(database.rows(one))
    assert.equal(reports, 1)
    await assert.rejects(database.count(one))
    assert.equal(reports, 2)
    await assert.rejects(database.transaction((tx) => tx.rows(one)))
    assert.equal(reports, 3)
    await line.mend()
    assert.deepEqual(await database.rows(one), [{ one: 1 }])
    await assert.rejects(database.rows({ name: '', text: 'select nothing from nowhere' }))
    assert.equal(reports, 3)
    await database.close()
  })
})
