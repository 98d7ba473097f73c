// A process that is killed, or loses its connection, while it executes a request with an Idempotency-Key.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { openSql } from '../harness/database/sql.ts'
import { ADMIN_TOKEN, createVictim, type Victim } from './held-victim.ts'

let database: TestDatabase
let dataDir: string
let victim: Victim
let opened: ReturnType<typeof openSql>

before(async () => {
  database = await preparedDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-idempotency-'))
  opened = openSql(database.url)
  victim = createVictim(database, opened.sql, { TRIBUTARY_DATA: dataDir })
  await victim.start()
})
after(async () => {
  await victim?.stop()
  await opened?.close()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const create = (key: string) =>
  fetch(`${victim.url()}/admin/apps`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': `"${key}"`,
    },
    body: JSON.stringify({ name: key, redirect_uris: ['https://app.test/'] }),
  })
const made = async (name: string) => (await opened.sql('select 1 from app where name = $1', [name])).length

suite('an interrupted request with an Idempotency-Key', () => {
  test('its process is killed: the key is taken until the lease ends, then the request is executed again', async () => {
    await victim.interrupt('audit', 'process', () => create('killed'))
    await victim.start()
    assert.equal(await made('killed'), 0)
    const during = await create('killed')
    assert.equal(during.status, 409)
    await during.body?.cancel()
    await opened.sql('update idempotency_key set lease_until = $1', [Date.now() - 1])
    const repeated = await create('killed')
    assert.equal(repeated.status, 201)
    const replayed = await create('killed')
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true')
    assert.equal(await replayed.text(), await repeated.text())
    assert.equal(await made('killed'), 1)
  })

  test('its connection to the database is cut: it fails, and can be repeated at once', async () => {
    await victim.interrupt('audit', 'connection', () => create('cut'))
    assert.equal(await made('cut'), 0)
    assert.equal((await create('cut')).status, 201)
    assert.equal(await made('cut'), 1)
  })
})
