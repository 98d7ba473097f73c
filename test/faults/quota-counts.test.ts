import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { preparedDatabase } from '../harness/database/database.ts'
import { LOOPBACK } from '../harness/loopback.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'
import { startScripted } from '../spec/sync/scripted-service.ts'

const ROUNDS = 2
const ADMIN_TOKEN = 'tra_test-admin-token-0123456789'

test('stored item counts match the items after every kill of the process', async (t) => {
  const database = await preparedDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-counts-'))
  const service = await startScripted()
  const client = new Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
  let server: RunningProcess | undefined
  t.after(async () => {
    await server?.end('SIGKILL')
    await client.end()
    await service.close()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  service.on('/me', () => ({ body: { id: 'ada', name: 'ada' } }))
  // A service that always has new items; with every run some change and some disappear.
  let calls = 0
  service.on('/orders', ({ query }) => {
    const page = Number(query['page'])
    const some = Array.from({ length: 20 }, (_, i) => ({
      id: `${page}-${i}`,
      at: page,
      text: 'x'.repeat((calls += 7) % 90),
    }))
    return { body: { orders: some.slice(page % 3) } }
  })
  const start = async () => {
    server = await startProcess(['serve'], {
      DATABASE_URL: database.url,
      PORT: '0',
      TRIBUTARY_DATA: dataDir,
      TRIBUTARY_ADMIN_TOKEN: ADMIN_TOKEN,
      TRIBUTARY_ALLOW_PRIVATE: LOOPBACK,
      TRIBUTARY_CONNECTORS: join(import.meta.dirname, '../spec/sync/connectors'),
    })
    return server.document['url']!
  }
  const items = async () => Number((await client.query<{ n: string }>('select count(*) as n from item')).rows[0]!.n)

  let url = await start()
  const admin = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    return (await (await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) })).json()) as Record<
      string,
      string
    >
  }
  const app = await admin('POST', '/admin/apps', {
    name: 'Counted',
    redirect_uris: ['https://app.test/'],
    apply: 'any',
  })
  const keys = { key: 'k', secret: 's', overrides: { base_url: service.url } }
  await admin('PUT', `/admin/apps/${app['client_id']}/keys/shop`, keys)
  const form = { client_id: app['client_id']!, client_secret: app['client_secret']!, token: 'token-ada' }
  const granted = await fetch(`${url}/auth/shop/apply`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await granted.json()) as { access_token: string }

  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await items()
    const writers = [0, 1, 2].map((writer) => writeOwn(url, token, `${round}-${writer}`))
    await until('there are many more', items, (now) => now >= before + 150)
    await server!.end('SIGKILL')
    await Promise.all(writers)
    const { rows } = await client.query(
      `select s.profile_id, s.items, c.n, s.bytes, c.bytes as counted from profile_sync s, lateral (
         select count(*) as n, coalesce(sum(octet_length(i.data::text)), 0) as bytes from item i
         where i.shard = s.shard and i.profile_id = s.profile_id) c where s.items <> c.n or s.bytes <> c.bytes`,
    )
    assert.deepEqual(rows, [])
    if (round + 1 < ROUNDS) url = await start()
  }
})

/** Stores and changes own items until the process stops responding. */
async function writeOwn(url: string, token: string, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  try {
    for (let i = 0; ; i += 1) {
      const items = [0, 1, 2].map((each) => ({ id: `${name}-${i - each}`, text: 'x'.repeat(i % 50) }))
      const response = await fetch(`${url}/services/self/notes`, {
        method: 'POST',
        headers,
        body: JSON.stringify(items),
      })
      await response.body?.cancel()
    }
  } catch {
    // The process was killed, as planned.
  }
}
