import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../harness/lab.ts'
import { get } from '../harness/send.ts'
import { type Granted, redeem, withoutDescription } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { assertUsable } from './page-rules.ts'

const skip = await browserMissing()

suite('sign-in with a real browser', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let app: Server
  let back: string
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
    // The app: a page at the redirect address. A native app does not know its port in advance.
    app = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>App</title>'),
    )
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    back = `http://localhost:${(app.address() as AddressInfo).port}/back`
  })
  after(async () => {
    await browser.close()
    app.closeAllConnections()
    app.close()
    await harness.stop()
  })

  const address = (service: string, query: Record<string, string> = {}) =>
    harness.startUrl(service, { redirect_uri: back, state: 'st', ...query })
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  /** Waits for an address. A second click cancels the navigation of the first, which Playwright reports; then it waits on. */
  const arrived = async (page: Page, isExpected: (url: URL) => boolean): Promise<URL> => {
    for (;;)
      try {
        await page.waitForURL(isExpected)
        return new URL(page.url())
      } catch (error) {
        if (!String(error).includes('ERR_ABORTED')) throw error
      }
  }
  const returned = (page: Page) => arrived(page, (url) => url.href.startsWith(back))
  /** A page, and the errors that the browser reports on it. */
  const open = async (options: Parameters<RunningBrowser['page']>[0] = {}) => {
    const page = await browser.page(options)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !/favicon/.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    return { page, complaints }
  }
  const signIn = async (page: Page, service: string, person: string, query: Record<string, string> = {}) => {
    await page.goto(address(service, query))
    await press(page, `Log in as ${person}`)
    await press(page, 'Allow')
    const code = (await returned(page)).searchParams.get('code')!
    return (await (await redeem(harness, code)).json()) as Granted
  }

  for (const [service, person] of [
    ['demo-social', 'Ada'],
    ['demo-micro', 'Ben'],
    ['demo-health', 'Esra'],
  ] as const) {
    test(`a person logs in at ${service} and returns to the app`, async () => {
      const { page, complaints } = await open()
      const granted = await signIn(page, service, person)
      assert.equal(new URL(page.url()).searchParams.get('state'), 'st')
      assert.deepEqual(Object.keys((await get(harness, '/profiles', granted.access_token)).body), ['id', service])
      assert.deepEqual(complaints, [])
      await page.close()
    })
  }

  test('a person logs in with a password and without any script', async () => {
    const { page } = await open({ javaScriptEnabled: false })
    await page.goto(address('demo-social'))
    await page.getByLabel('Name').fill('chloe')
    await page.getByLabel('Password').fill('chloe-demo')
    await press(page, 'Sign in')
    await press(page, 'Allow')
    assert.ok((await returned(page)).searchParams.has('code'))
    await page.close()
  })

  test('a person denies consent at the service', async () => {
    const { page } = await open()
    await page.goto(address('demo-social'))
    await press(page, 'Log in as Ada')
    await press(page, 'Deny')
    assert.equal(withoutDescription((await returned(page)).search), '?error=access_denied&state=st')
    await page.close()
  })

  for (const [reply, button] of [
    ['yes', 'Continue'],
    ['no', /^No/],
  ] as const) {
    test(`a person is asked before a browser app gets the token, and says ${reply}`, async () => {
      const { page, complaints } = await open()
      await page.goto(address('demo-social', { response_type: 'token' }))
      await press(page, 'Log in as Ada')
      await press(page, 'Allow')
      await page.getByRole('heading', { name: 'Continue to Lab App?' }).waitFor()
      await assertUsable(page, 'the confirmation page')
      await press(page, button)
      const url = await returned(page)
      const fragment = new URLSearchParams(url.hash.slice(1))
      if (reply === 'yes') {
        assert.equal((await get(harness, '/profile', fragment.get('access_token')!)).body['name'], 'Ada Marlowe')
        assert.equal(url.search, '')
      } else {
        assert.equal(withoutDescription(url.search), '?error=access_denied&state=st')
        assert.deepEqual([fragment.get('error'), fragment.has('access_token')], ['access_denied', false])
      }
      assert.deepEqual(complaints, [])
      await page.close()
    })
  }

  test('a person links a second service to the same account from the list of services', async () => {
    const { page, complaints } = await open()
    const ada = await signIn(page, 'demo-social', 'Ada')
    const query = { client_id: harness.app.clientId, redirect_uri: back, access_token: ada.access_token, state: 'two' }
    await page.goto(`${harness.tributary.url}/connect?${new URLSearchParams(query).toString()}`)
    await page.getByRole('heading', { name: 'Connect a service to Lab App' }).waitFor()
    await assertUsable(page, 'the page of services')
    await page.getByRole('link', { name: 'Demo Micro' }).click()
    await press(page, 'Log in as Finn')
    await press(page, 'Allow')
    const url = await returned(page)
    assert.equal(url.searchParams.get('state'), 'two')
    const linked = (await (await redeem(harness, url.searchParams.get('code')!)).json()) as Granted
    assert.equal(linked.account, ada.account)
    const { body } = await get(harness, '/profiles', ada.access_token)
    assert.deepEqual(Object.keys(body), ['id', 'demo-micro', 'demo-social'])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('a person sees whose account it is before joining it', async () => {
    const { page } = await open()
    const ada = await signIn(page, 'demo-social', 'Ada')
    await page.close()
    const { page: other } = await open()
    await other.goto(address('demo-health', { response_type: 'token', access_token: ada.access_token }))
    await press(other, 'Log in as Ben')
    await press(other, 'Allow')
    await other.getByText('already exists').waitFor()
    assert.match(await other.locator('main').innerText(), /Ada Marlowe at Demo Social/)
    await assertUsable(other, 'the page that warns')
    await press(other, /^No/)
    assert.equal((await returned(other)).searchParams.get('error'), 'access_denied')
    await other.close()
  })

  test('a wrong link and a finished sign-in each show a page', async () => {
    const { page } = await open()
    const wrong = await page.goto(harness.startUrl('demo-social', { redirect_uri: 'https://evil.test/' }))
    assert.equal(wrong?.status(), 400)
    await assertUsable(page, 'the page of an error')
    assert.match((await page.locator('main').textContent()) ?? '', /redirect_unregistered/)
    const over = await page.goto(`${harness.tributary.url}/auth/demo-social/callback?state=x&code=y`)
    assert.equal(over?.status(), 400)
    assert.match(await page.locator('main').innerText(), /This sign-in has ended/)
    await page.close()
  })

  for (const responseType of ['code', 'token']) {
    test(`the confirmation page (${responseType}) can be reloaded, gone back to, and submitted twice`, async () => {
      const { page } = await open()
      const ada = await signIn(page, 'demo-social', 'Ada')
      await page.close()
      const { page: other, complaints } = await open()
      await other.goto(address('demo-health', { response_type: responseType, access_token: ada.access_token }))
      await press(other, 'Log in as Ben')
      await press(other, 'Allow')
      await other.getByText('already exists').waitFor()
      assert.match(await other.locator('main').innerText(), /Ada Marlowe at Demo Social/)
      assert.equal(new URL(other.url()).pathname, '/oauth/confirm')
      await assertUsable(other, 'the page that warns')
      await other.reload()
      await other.getByText('already exists').waitFor()
      // Both clicks happen before the browser has left the page.
      await other.getByRole('button', { name: 'Continue' }).dblclick()
      const first = await returned(other)
      await other.goBack()
      await arrived(other, (url) => url.pathname === '/oauth/confirm')
      await press(other, 'Continue')
      await arrived(other, (url) => url.href === first.href)
      if (responseType === 'code') {
        const granted = (await (await redeem(harness, first.searchParams.get('code')!)).json()) as Granted
        assert.equal(granted.account, ada.account)
        await other.goBack()
        await other.reload()
        await other.getByRole('heading', { name: 'This is done' }).waitFor()
        await assertUsable(other, 'the page that says it is done')
        assert.equal((await get(harness, '/profiles', granted.access_token)).status, 200)
      } else {
        const token = new URLSearchParams(first.hash.slice(1)).get('access_token')!
        assert.equal((await get(harness, '/profiles', token)).body['id'], ada.account)
      }
      assert.deepEqual(complaints, [])
      await other.close()
    })
  }

  test('an expired confirmation page says that it is too old', async () => {
    const { page } = await open()
    const ada = await signIn(page, 'demo-social', 'Ada')
    await page.close()
    const { page: other } = await open()
    await other.goto(address('demo-health', { access_token: ada.access_token }))
    await press(other, 'Log in as Ben')
    await press(other, 'Allow')
    await other.getByText('already exists').waitFor()
    await harness.sql("update consent set expires_at = 1 where kind = 'confirm' and used_at is null")
    await press(other, 'Continue')
    await other.getByText('This sign-in has ended').waitFor()
    await assertUsable(other, 'the page that is too old')
    await other.close()
  })
})
