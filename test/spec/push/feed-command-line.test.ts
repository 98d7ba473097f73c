import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { tributary } from '../../harness/command-line.ts'
import { type PushHarness, startPushHarness } from './fixture.ts'

suite('tributary changes', () => {
  let harness: PushHarness
  before(async () => {
    harness = await startPushHarness()
  })
  after(() => harness.stop())

  const run = async (...args: string[]) => {
    const { databaseUrl, dataDir } = harness.tributary
    const { code, stdout, stderr } = await tributary(['changes', ...args], {
      DATABASE_URL: databaseUrl,
      TRIBUTARY_DATA: dataDir,
    })
    const lines = stdout.split('\n').filter((line) => line !== '')
    return { code, stderr, documents: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
  }

  test('prints what is stored and then, with the cursor, what changed', async () => {
    const app = await harness.newTenant()
    const ada = await app.newPerson()
    await harness.put(ada, [{ id: 'a' }, { id: 'b' }])
    // Entries that the feed gets after the walk began are printed again.
    await harness.idle()
    const first = await run(app.clientId)
    assert.deepEqual([first.code, first.stderr], [0, ''])
    assert.deepEqual(
      first.documents.map(({ change }) => change),
      ['profile', 'upsert', 'upsert', undefined],
    )
    const { cursor } = first.documents.at(-1) as { cursor: string }
    await harness.take(ada, ['a'])
    await harness.idle()
    const second = await run(app.clientId, '--cursor', cursor)
    assert.ok(second.documents.some(({ change, account }) => change === 'delete' && account === ada.account.id))
    assert.ok(second.documents.every(({ change }) => change !== 'upsert'))
  })

  test('refuses unknown apps, types and cursors', async () => {
    const { clientId } = await harness.newTenant()
    for (const args of [['app_none'], [clientId, '--types', 'nope'], [clientId, '--cursor', 'x']]) {
      const { code, stderr } = await run(...args)
      assert.notEqual(code, 0)
      assert.notEqual(stderr, '')
    }
  })
})
