import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTables, type Tables } from './fixture.ts'

suite('the e-mail address of a person', () => {
  let tables: Tables
  before(async () => {
    tables = await startTables()
  })
  after(() => tables.stop())

  test('x: comes with the flag that asks for it', async () => {
    const emailOf = async () =>
      (
        await tables.tributary.sql<{ email: string | null }>(
          `select self ->> 'email' as email from profile where service = 'x' order by connected_at desc limit 1`,
        )
      )[0]?.email
    await tables.signIn('x')
    assert.equal(await emailOf(), null)
    await tables.signIn('x', { query: { flag: 'email' } })
    assert.equal(await emailOf(), 'finn@people.test')
  })
})
