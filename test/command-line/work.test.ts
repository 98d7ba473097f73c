import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { tributaryProcess } from '../harness/command-line.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'

suite('tributary work', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-work-'))
  const token = 'tra_test-admin-token-0123456789'
  let database: TestDatabase
  let env: Record<string, string>
  let worker: RunningProcess | undefined
  before(async () => {
    database = await preparedDatabase()
    env = { DATABASE_URL: database.url, TRIBUTARY_DATA: dataDir, TRIBUTARY_ADMIN_TOKEN: token, DATABASE_POOL: '2' }
  })
  after(async () => {
    worker?.child.kill('SIGKILL')
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('with a port serves its health and the metrics of its workers, and nothing of the API', async () => {
    worker = await startProcess(['work', '--port', '0'], env)
    const { url } = worker.document
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    await until('it is ready', async () => (await fetch(`${url}/readyz`)).ok)
    const metrics = await until('its sync worker runs', async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return text.includes('tributary_worker_up{lane="sync"} 1') ? text : undefined
    })
    assert.match(metrics, /^tributary_sync_runs_total\{end="finished"\} 0$/m)
    const asProxy = { headers: { 'x-forwarded-for': '203.0.113.9' } }
    assert.equal((await fetch(`${url}/metrics`, asProxy)).status, 401, 'not from elsewhere')
    const admin = { headers: { ...asProxy.headers, authorization: `Bearer ${token}` } }
    assert.equal((await fetch(`${url}/metrics`, admin)).status, 200)
    for (const path of ['/', '/docs', '/types/all', '/admin/apps', '/proxy/demo-social/me', '/oauth/authorize'])
      assert.equal((await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status, 404, path)
    const taken = await tributaryProcess(['work', '--port', new URL(url!).port, '--json'], env)
    assert.equal(taken.code, 3)
    assert.equal((JSON.parse(taken.stdout) as { reason: string }).reason, 'port_taken')
    assert.deepEqual(await worker.end('SIGTERM'), { code: 0, signal: null })
    await assert.rejects(fetch(`${url}/healthz`))
  })

  test('without a port listens on none, whatever PORT says', async () => {
    worker = await startProcess(['work'], { ...env, PORT: '0' })
    assert.equal(worker.document['url'], undefined)
    assert.deepEqual(await worker.end('SIGTERM'), { code: 0, signal: null })
  })
})
