// A process that is killed between the first click on a connect link and the end of its sign-in, and what the person sees then.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { type Browser, createBrowser, type Page } from '../../lab/browser.ts'
import { startLab } from '../../lab/lab.ts'
import { type App, basic, makeApp } from '../harness/app.ts'
import { registerAt } from '../harness/callback.ts'
import { preparedDatabase, type TestDatabase } from '../harness/database/database.ts'
import { openSql } from '../harness/database/sql.ts'
import { freePort } from '../harness/free-port.ts'
import { codeOf, continued, newBrowser, REDIRECT } from '../harness/sign-in.ts'
import { ADMIN_TOKEN, createVictim, type Victim } from './held-victim.ts'

interface Session {
  id: string
  url: string
}

let database: TestDatabase
let dataDir: string
let lab: Awaited<ReturnType<typeof startLab<'demo-social'>>>
let victim: Victim
let opened: ReturnType<typeof openSql>
let app: App
let session: Session

before(async () => {
  database = await preparedDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'tributary-connect-'))
  opened = openSql(database.url)
  lab = await startLab({ services: ['demo-social'] })
  // The same address after each restart: people come back to the links that they have.
  victim = createVictim(database, opened.sql, { TRIBUTARY_DATA: dataDir, PORT: String(await freePort()) })
  await victim.start()
  app = await makeApp({ admin }, { name: 'Crash', redirectUris: [REDIRECT] })
  await registerAt({ url: victim.url(), admin }, app, 'demo-social', lab.services['demo-social'], { name: 'Crash' })
})
after(async () => {
  await victim?.stop()
  await lab?.close()
  await opened?.close()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})
beforeEach(async () => {
  await victim.start()
  session = (await request('POST', '/connect/sessions', {
    redirect_uri: REDIRECT,
    services: ['demo-social'],
  })) as Session
})

async function admin(method: string, path: string, json?: unknown) {
  const response = await fetch(`${victim.url()}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
async function request(method: string, path: string, json?: object): Promise<unknown> {
  const response = await fetch(`${victim.url()}${path}`, {
    method,
    headers: { ...basic(app), 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  assert.ok(response.ok, String(response.status))
  return response.json()
}
const state = async () => ((await request('GET', `/connect/sessions/${session.id}`)) as { state: string }).state
const isUsed = async () =>
  (await opened.sql('select 1 from connect_session where id = $1 and used_at is not null', [session.id])).length > 0
const redeem = (code: string) =>
  fetch(`${victim.url()}/oauth/access_token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: app.clientId, client_secret: app.secret, code }),
  })

/** Presses the button of the service, as far as the page of the service. */
const choose = (browser: Browser, page: Page): Promise<Page> => {
  const form = page.forms.find(({ method }) => method.toLowerCase() === 'post')
  assert.ok(form, page.body.slice(-500))
  return browser.submit(page, form, { service: 'demo-social' })
}
/** The person goes on where the link leads them, to the end. */
async function finishes(browser: Browser): Promise<void> {
  const page = await browser.open(session.url)
  assert.equal(page.status, 200)
  assert.match(page.body, /Demo Social<\/button>/, 'the same browser chooses again')
  const back = await continued(browser, await browser.walk((await choose(browser, page)).url, { person: 'ada' }))
  assert.ok(back.stopped, `${back.url} ${back.body.slice(-300)}`)
  assert.equal((await redeem(codeOf(new URL(back.url)))).status, 200)
  await isDone(browser)
}
async function isDone(browser: Browser): Promise<void> {
  assert.equal(await state(), 'done')
  assert.match((await browser.open(session.url)).body, /You are connected/)
}
/** Another browser that has the same link. */
async function othersAreRefused(): Promise<void> {
  const other = await newBrowser().open(session.url)
  assert.equal(other.status, 403)
  assert.match(other.body, /opened in another browser/)
}

suite('a process that is killed during a connect session', () => {
  test('between the claim and the start of the sign-in: the same browser begins again, another one is refused', async () => {
    const browser = newBrowser()
    const page = await browser.open(session.url)
    await victim.killAt('pending', () => choose(browser, page), isUsed)
    await victim.start()
    assert.equal(await state(), 'used')
    assert.deepEqual(await opened.sql('select 1 from pending where app_id = $1', [app.clientId]), [])
    await othersAreRefused()
    await finishes(browser)
  })

  test('while the person is at the service: they come back and finish', async () => {
    const browser = newBrowser()
    const login = await choose(browser, await browser.open(session.url))
    await victim.stop('SIGKILL')
    await victim.start()
    await othersAreRefused()
    const back = await continued(browser, await browser.walk(login.url, { person: 'ada' }))
    assert.ok(back.stopped, `${back.url} ${back.status}`)
    assert.equal((await redeem(codeOf(new URL(back.url)))).status, 200)
    await isDone(browser)
  })

  test('before the consent is stored: reload explains it, and the link begins again', async () => {
    let isHeld = true
    const browser = createBrowser({
      stopAt: (url) => url.startsWith(REDIRECT) || (isHeld && url.includes('/auth/demo-social/callback')),
    })
    const login = await choose(browser, await browser.open(session.url))
    const { url: callback, stopped } = await browser.walk(login.url, { person: 'ada' })
    assert.ok(stopped, callback)
    isHeld = false
    const pending = async () => (await opened.sql('select 1 from pending')).length
    const before = await pending()
    await victim.killAt(
      'consent',
      () => browser.open(callback),
      async () => (await pending()) < before,
    )
    await victim.start()
    const reloaded = await browser.open(callback)
    assert.equal(reloaded.status, 400)
    assert.match(reloaded.body, /This sign-in has ended/)
    assert.match(reloaded.body, /Crash/, 'with the way back to the app')
    await othersAreRefused()
    await finishes(browser)
  })

  test('while the app exchanges the code: it repeats the exchange, and the person sees that it is done', async () => {
    const browser = newBrowser()
    const login = await choose(browser, await browser.open(session.url))
    const back = await continued(browser, await browser.walk(login.url, { person: 'ada' }))
    const code = codeOf(new URL(back.url))
    await victim.interrupt('connect_session', 'process', () => redeem(code))
    await victim.start()
    assert.equal(await state(), 'used', 'nothing of the exchange stays')
    assert.match((await browser.open(session.url)).body, /Demo Social<\/button>/)
    assert.equal((await redeem(code)).status, 200)
    await isDone(browser)
  })
})
