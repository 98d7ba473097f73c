// What people do with a connect link besides using it once: tabs, Back, reload, too late, and again. With and without scripts.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { basic } from '../harness/app.ts'
import type { LabHarness } from '../harness/lab.ts'
import { send } from '../harness/send.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'

const skip = await browserMissing()

suite('second steps with a connect link in a real browser', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let server: Server
  let redirect: string
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
    server = createServer((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>App</title><link rel="icon" href="data:,">'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    redirect = `http://localhost:${(server.address() as AddressInfo).port}/back`
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
    await harness?.stop()
  })

  const newSession = async (json: object = {}): Promise<{ id: string; url: string }> => {
    const reply = await send(harness, 'POST', '/connect/sessions', {
      headers: basic(harness.app),
      json: { redirect_uri: redirect, services: ['demo-social', 'demo-micro'], ...json },
    })
    assert.equal(reply.status, 201, reply.text)
    return reply.body as { id: string; url: string }
  }
  /** A further tab of the same browser. */
  const nextTab = (page: Page): Promise<Page> => page.context().newPage()
  const stateOf = async ({ id }: { id: string }) =>
    (await send(harness, 'GET', `/connect/sessions/${id}`, { headers: basic(harness.app) })).body['state']
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const choose = (page: Page) => page.getByRole('button', { name: 'Demo Social' }).click()
  /** Logs in if the service does not know the person yet, allows it, and returns the code at the app. */
  const allow = async (page: Page): Promise<string> => {
    const login = page.getByRole('button', { name: 'Log in as Ada' })
    const decision = page.getByRole('button', { name: 'Allow' })
    await login.or(decision).first().waitFor()
    if ((await login.count()) > 0) await login.click()
    await decision.click()
    await page.waitForURL((url) => url.href.startsWith(redirect))
    return new URL(page.url()).searchParams.get('code') ?? page.url()
  }
  const redeem = async (code: string) =>
    (await send(harness, 'POST', '/oauth/access_token', { headers: basic(harness.app), form: { code } })).status
  const isConnected = (page: Page) => heading(page, 'You are connected')

  for (const javaScriptEnabled of [true, false])
    suite(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
      const open = () => browser.page({ javaScriptEnabled, locale: 'en-US' })

      test('two tabs: both begin, one finishes, the other sees that it is done', async () => {
        const session = await newSession()
        const one = await open()
        const two = await nextTab(one)
        await one.goto(session.url)
        await two.goto(session.url)
        await choose(one)
        await one.getByRole('button', { name: 'Log in as Ada' }).waitFor()
        await choose(two)
        assert.equal(await redeem(await allow(two)), 200)
        assert.equal(await stateOf(session), 'done')
        await one.goBack()
        await one.reload()
        await isConnected(one)
        await one.context().close()
      })

      test('a tab that is closed at the service: the link begins again in the same browser', async () => {
        const session = await newSession()
        const closed = await open()
        await closed.goto(session.url)
        await choose(closed)
        await closed.getByRole('button', { name: 'Log in as Ada' }).waitFor()
        const page = await nextTab(closed)
        await closed.close()
        assert.equal(await stateOf(session), 'used')
        await page.goto(session.url)
        await choose(page)
        assert.equal(await redeem(await allow(page)), 200)
        await page.goto(session.url)
        await isConnected(page)
        await page.context().close()
      })

      test('Back from the app after it is done, and the button again', async () => {
        const session = await newSession()
        const page = await open()
        await page.goto(session.url)
        await choose(page)
        assert.equal(await redeem(await allow(page)), 200)
        // A page of the service that was the response to a form cannot be shown again; one step further back can.
        for (let i = 0; i < 10 && page.url() !== session.url; i += 1) await page.goBack().catch(() => null)
        await page.reload()
        await isConnected(page)
        assert.equal(await page.getByRole('button', { name: 'Demo Social' }).count(), 0)
        await page.context().close()
      })

      test('too late: the link says so, also to a page that is open, and a reload sends nothing again', async () => {
        const session = await newSession()
        const page = await open()
        await page.goto(session.url)
        await harness.sql('update connect_session set expires_at = 1 where id = $1', [session.id])
        await choose(page)
        await heading(page, 'This link has expired')
        const methods: string[] = []
        page.on('request', (request) => methods.push(request.method()))
        await page.reload()
        await heading(page, 'This link has expired')
        assert.ok(methods.length > 0 && methods.every((method) => method === 'GET'), methods.join())
        await page.getByRole('link', { name: 'Back to Lab App' }).click()
        await page.waitForURL((url) => url.origin === new URL(redirect).origin)
        const fresh = await open()
        await fresh.goto(session.url)
        await heading(fresh, 'This link has expired')
        for (const each of [page, fresh]) await each.context().close()
      })

      test('too late during the sign-in: the app learns why, and a new link works', async () => {
        const session = await newSession({ state: 'st' })
        const page = await open()
        await page.goto(session.url)
        await choose(page)
        await page.getByRole('button', { name: 'Log in as Ada' }).waitFor()
        await send(harness, 'DELETE', `/connect/sessions/${session.id}`, { headers: basic(harness.app) })
        await page.getByRole('button', { name: 'Log in as Ada' }).click()
        await page.getByRole('button', { name: 'Allow' }).click()
        await page.waitForURL((url) => url.href.startsWith(redirect))
        const returned = new URL(page.url()).searchParams
        assert.deepEqual([returned.get('error'), returned.get('state')], ['access_denied', 'st'])
        await page.goto(session.url)
        await heading(page, 'This link was withdrawn')
        const next = await newSession()
        await page.goto(next.url)
        await choose(page)
        assert.equal(await redeem(await allow(page)), 200)
        await page.context().close()
      })

      test('a second browser is refused in the middle, and reload and Back change nothing there', async () => {
        const session = await newSession()
        const [mine, other] = [await open(), await open()]
        await mine.goto(session.url)
        await other.goto(session.url)
        await choose(mine)
        await mine.getByRole('button', { name: 'Log in as Ada' }).waitFor()
        await choose(other)
        await heading(other, 'This link was opened in another browser')
        await other.reload()
        await heading(other, 'This link was opened in another browser')
        await other.goBack()
        // Browsers may keep one entry for the same address.
        if (other.url() !== session.url) await other.goto(session.url)
        await other.reload()
        await heading(other, 'This link was opened in another browser')
        assert.equal(await redeem(await allow(mine)), 200)
        for (const page of [mine, other]) await page.context().close()
      })
    })
})
