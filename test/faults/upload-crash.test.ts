// A process that is killed while the records of an uploaded file are stored.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../harness/app.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { openSql } from '../harness/database/sql.ts'
import { send } from '../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl } from '../harness/sign-in.ts'
import { until } from '../harness/until.ts'
import { calendar, uploadOn } from '../spec/uploads/file-fixture.ts'
import { ADMIN_TOKEN, createVictim, type Victim } from './held-victim.ts'

const EVENTS = 700

let database: TestDatabase
let dataDir: string
let victim: Victim
let opened: ReturnType<typeof openSql>

before(async () => {
  database = await preparedDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-upload-'))
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

const at = () => ({ tributary: { url: victim.url() } })
const admin = async (method: string, path: string, json?: unknown) =>
  send(at(), method, path, { token: ADMIN_TOKEN, json })
const stored = async () => (await opened.sql("select 1 from item where endpoint = 'events'")).length
const left = async () => (await opened.sql('select 1 from upload where expires_at is null')).length

suite('a kill in the middle of an import', () => {
  test('the rest is stored afterwards, and a repeated upload changes nothing', async () => {
    const app = await makeApp({ admin }, { redirectUris: [REDIRECT] })
    const browser = newBrowser()
    const page = await browser.open(startUrl(at(), 'files', {}, app))
    const back = await uploadOn(browser, page, calendar({ uid: 'first', title: 'First' }))
    const { access_token: token } = await redeemed({ ...at(), app }, codeOf(new URL(back.url)))
    await until('the first file is read', async () => (await stored()) === 1 && (await left()) === 0)

    const file = calendar(...Array.from({ length: EVENTS }, (_, i) => ({ uid: `n${i}`, title: `Event ${i}` })))
    const upload = () => send(at(), 'POST', '/uploads/files', { token, body: file })
    // The transaction that stores a page ends with this table.
    await victim.interrupt('item_hour', 'process', async () => {
      await upload()
    })
    assert.ok((await stored()) < EVENTS, 'it was killed in between')
    assert.equal(await left(), 1)
    await victim.start()
    // As if the time of its lease had passed.
    await opened.sql('update profile_sync set next_run_at = 1 where next_run_at > 1 and lease_token is not null')
    await until('the rest is stored', async () => (await stored()) === EVENTS + 1 && (await left()) === 0)

    const seqs = () => opened.sql('select id, seq from item order by id')
    const written = await seqs()
    assert.equal((await upload()).status, 202)
    await until('it is read again', async () => (await left()) === 0)
    assert.deepEqual(await seqs(), written)
  })
})
