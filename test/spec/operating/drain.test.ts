import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { freshDatabase } from '../../harness/database/database.ts'
import { holdTable } from '../../harness/database/hold-table.ts'
import { startTributary } from '../../harness/start.ts'
import { rawClient } from './raw-http.ts'

const isRefused = (error: unknown) => error instanceof TypeError

suite('stopping', () => {
  test('R02 finishes requests in progress, refuses new ones, and closes idle connections', async () => {
    const tributary = await startTributary()
    const idle = await rawClient(tributary.url)
    idle.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    // A database lock keeps a request in progress until it is released.
    const lock = await holdTable(tributary.databaseUrl, 'app')
    const slow = fetch(`${tributary.url}/admin/apps`, { headers: { authorization: `Bearer ${tributary.adminToken}` } })
    await lock.awaited('from app order by')

    const stopped = tributary.stop()
    await idle.ended
    await assert.rejects(fetch(`${tributary.url}/healthz`), isRefused)
    await lock.release()
    const response = await slow
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), [])
    assert.equal(response.headers.get('connection'), 'close')
    await stopped
    await assert.rejects(fetch(`${tributary.url}/healthz`), isRefused)
  })

  test('waits no longer than DRAIN_SECONDS', async () => {
    const tributary = await startTributary({ DRAIN_SECONDS: '1' })
    const stuck = await rawClient(tributary.url)
    stuck.send(
      `POST /admin/apps HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tributary.adminToken}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
    )
    // Its first bytes have arrived when a later request gets its response.
    await fetch(`${tributary.url}/healthz`)
    await tributary.stop()
    await stuck.ended
  })

  test('can be called twice', async () => {
    const tributary = await startTributary()
    await Promise.all([tributary.stop(), tributary.stop()])
  })
})

test('two processes on one empty database start together, and both work', async () => {
  const database = await freshDatabase()
  const shared = mkdtempSync(join(tmpdir(), 'tributary-two-'))
  const env = { DATABASE_URL: database.url, TRIBUTARY_DATA: shared }
  const [one, two] = await Promise.all([startTributary(env), startTributary(env)])
  try {
    const made = await one.admin('POST', '/admin/apps', { name: 'n', redirect_uris: ['https://a.test/'] })
    assert.equal(made.status, 201)
    assert.equal(((await two.admin('GET', '/admin/apps')).body as object[]).length, 1)
  } finally {
    await Promise.all([one.stop(), two.stop()])
    await database.drop()
    rmSync(shared, { recursive: true })
  }
})
