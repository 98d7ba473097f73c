import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { until } from '../../harness/until.ts'
import { startRawHttp } from '../../hostile/servers/raw-http.ts'
import { type PushHarness, startPushHarness, type Tenant } from './fixture.ts'

suite('isolation of apps and callers', () => {
  let harness: PushHarness
  let app: Tenant
  let filesDir: string
  before(async () => {
    filesDir = mkdtempSync(join(tmpdir(), 'tributary-push-'))
    harness = await startPushHarness({}, { TRIBUTARY_FILES: filesDir })
    app = await harness.newTenant()
  })
  after(async () => {
    await harness.stop()
    rmSync(filesDir, { recursive: true })
  })

  test("a folder of another app is refused on create and change; the app's own folder works", async () => {
    const other = await harness.newTenant()
    const folderOf = ({ clientId }: Tenant) => pathToFileURL(join(filesDir, clientId, 'out')).href
    const refused = await app.ask('POST', '/push', { name: 'Ours', kind: 'files', url: folderOf(other) })
    assert.equal(refused.body['reason'], 'bad_body')
    assert.match(String(refused.body['error']), /own folder/)
    const made = await app.add({ kind: 'files', url: folderOf(app), schedule: 'manual' })
    const moved = await app.ask('PATCH', `/push/${made.id}`, { url: folderOf(other) })
    assert.equal(moved.body['reason'], 'bad_body')
    assert.equal((await app.ask('POST', `/push/${made.id}/test`)).body['ok'], true)
    await app.ask('DELETE', `/push/${made.id}`)
  })

  test('a test ends when its caller disconnects', async () => {
    const server = await startRawHttp(() => undefined)
    const url = `s3://key:secret@127.0.0.1:${server.port}/bucket?tls=false`
    const { id } = await app.add({ kind: 'files', url, schedule: 'manual' })
    const leaving = new AbortController()
    const asked = fetch(`${harness.tributary.url}/push/${id}/test`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString('base64')}` },
      signal: leaving.signal,
    })
    await until('the store gets a request', () => server.open() > 0)
    leaving.abort()
    await assert.rejects(asked)
    // Otherwise each request to the store would have a minute.
    await until('the connection is closed', () => server.open() === 0)
    assert.equal(server.made(), 1)
    await server.stop()
    await app.ask('DELETE', `/push/${id}`)
  })
})
