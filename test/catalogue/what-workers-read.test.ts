import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, suite, test } from 'node:test'
import { type SyncHarness, startSyncHarness } from '../spec/sync/shop-fixture.ts'

suite('a process that syncs', () => {
  const real = fs.readFileSync
  let read = 0
  let harness: SyncHarness
  before(async () => {
    fs.readFileSync = ((path: unknown, ...rest: []) => {
      if (/\/catalogue\/entries\/.*\.json$/.test(String(path))) read += 1
      return real(path as string, ...rest)
    }) as typeof fs.readFileSync
    syncBuiltinESMExports()
    harness = await startSyncHarness()
  })
  after(async () => {
    fs.readFileSync = real
    syncBuiltinESMExports()
    await harness.stop()
  })

  test('holds no entry of the catalogue, until somebody asks for one', async () => {
    const page = { body: [{ id: '1', created: 1 }] }
    harness.service.on('/orders', () => page)
    const { access_token: token } = await harness.connect('ada')
    await harness.until(token, ({ state }) => state === 'done')
    await harness.idle()
    assert.equal(read, 0, 'the start, a sign-in and its run')
    const found = await fetch(`${harness.tributary.url}/services?q=asana`)
    assert.equal(found.status, 200)
    assert.ok(read > 0, 'the first search reads them')
    const once = read
    await fetch(`${harness.tributary.url}/services?q=todoist`)
    assert.equal(read, once, 'and no second one')
  })
})
