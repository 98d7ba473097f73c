import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { freePort } from '../harness/free-port.ts'
import { type RunningProcess, startProcess } from '../harness/running.ts'
import { until } from '../harness/until.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { builtWeb } from './built-web.ts'
import { shown } from './shown.ts'
import { type WatchedPage, watchPage } from './watched-page.ts'

const skip = await browserMissing()
const UP_TO_DATE = /what is new arrives by itself/

suite('the demo app', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-demo-app-'))
  let demo: RunningProcess
  let browser: RunningBrowser
  let url: string
  // The system assigns such a port to nobody else while the demo is stopped.
  const port = freePort()
  const start = async () => startProcess(['demo'], { TRIBUTARY_DATA: folder, PORT: String(await port) })
  before(async () => {
    await builtWeb()
    ;[demo, browser] = await Promise.all([start(), openBrowser()])
    url = demo.document['url']!
  })
  after(async () => {
    await browser.close()
    await demo.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  const open = async (path = ''): Promise<WatchedPage> => {
    const watched = await watchPage(await browser.page({ viewport: { width: 1280, height: 900 } }))
    await watched.page.goto(`${url}/demo${path}`)
    return watched
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  /** One click, and everything is read. */
  const connected = async (path = ''): Promise<WatchedPage> => {
    const watched = await open()
    await press(watched.page, 'Show me')
    await watched.page.getByText(UP_TO_DATE).waitFor()
    if (path !== '') await watched.page.goto(`${url}/demo${path}`)
    return watched
  }
  const card = (page: Page, title: string) => page.locator('.service').filter({ hasText: title })
  const says = (page: Page, title: string, words: string) =>
    card(page, title).locator('.badge').filter({ hasText: words }).waitFor()

  test('one click shows a life of three services, with a bar for each endpoint', async () => {
    const watched = await open()
    const { page } = watched
    await page.getByRole('button', { name: 'Show me', exact: true }).waitFor()
    await watched.assertClean('first view')
    await press(page, 'Show me')
    await page.locator('.feed-item').first().waitFor()
    await page.getByText(UP_TO_DATE).waitFor()
    assert.equal(new URL(page.url()).pathname, '/demo')
    await shown(page.locator('.endpoint progress'), 12)
    for (const shown of ['.photo img', '.map-point', '.person-button', '.health-chart canvas'])
      await page.locator(shown).first().waitFor()
    assert.match((await page.locator('.person-counts').innerText()) ?? '', /[1-9]\d* ?\n?photos/)
    await watched.assertClean('the page of a connected person')
    await page.close()
  })

  test('shows exactly the requests that its panels sent, as commands that work', async () => {
    const watched = await connected()
    const { page } = watched
    const sent = new Set<string>()
    page.on('request', (request) => sent.add(request.url()))
    await page.reload()
    await page.getByText(UP_TO_DATE).waitFor()
    await page.locator('.map-point').first().waitFor()
    await page.locator('.health-chart canvas').first().waitFor()
    const lines = page.locator('.request-line')
    // The last panel asks when everything else is read.
    await shown(lines, 8)
    for (let at = 0; at < 8; at += 1) {
      await lines.nth(at).click()
      const command = await page.locator('.request-details pre').first().innerText()
      const [, address, token] = /'(http[^']+)'[^]*Bearer ([^']+)'/.exec(command) ?? []
      assert.ok(sent.has(address!), command)
      assert.match(command, /\| jq$|^curl -N/)
      const response = await fetch(address!, { headers: { authorization: `Bearer ${token}` } })
      assert.equal(response.status, 200, command)
      await response.body?.cancel()
      await lines.nth(at).click()
    }
    await lines.nth(3).click()
    await press(page, 'TypeScript')
    const code = await page.locator('.request-details pre').first().innerText()
    assert.match(code, /account\.items\('photos', \{ limit: 40, dedup: true \}\)\.first\(\)/)
    await watched.assertClean('an open request')
    await page.close()
  })

  test('searches as one types, keeps the address, and opens items as steps of the history', async () => {
    const watched = await connected()
    const { page } = watched
    await page.getByLabel('Search the items').fill('piano')
    await page.waitForURL(/q=piano/)
    await page.locator('.request-path').filter({ hasText: 'q=piano*' }).waitFor()
    // What was shown before stays until the response is there.
    await until(
      'the feed shows only what was searched for',
      () => page.locator('.feed-item').allInnerTexts(),
      (texts) => texts.length > 0 && texts.every((text) => /piano/i.test(text)),
    )
    await page.reload()
    assert.equal(await page.getByLabel('Search the items').inputValue(), 'piano')
    await page.locator('.feed-item').filter({ hasText: 'piano' }).first().click()
    await page.getByRole('dialog').waitFor()
    await watched.assertClean('an item')
    await page.reload()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.match(page.url(), /q=piano/)
    await page.getByLabel('Search the items').fill('')
    await page.waitForURL((address) => !address.searchParams.has('q'))
    await page.close()
  })

  test('works by keyboard: a photo, its neighbour, and a person with where they appear', async () => {
    const { page } = await connected()
    await page.locator('.photo').first().press('Enter')
    await page.getByText(/^1 of/).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText(/^2 of/).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Search the people').fill('ben')
    const ben = page.locator('.person-button').filter({ hasText: 'Ben Okafor' })
    await ben.press('Enter')
    await page.getByRole('heading', { name: 'Where Ben Okafor appears' }).waitFor()
    await page.getByRole('dialog').locator('table').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.close()
  })

  test('leads into the dashboard without a password', async () => {
    const watched = await open()
    const { page } = watched
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/')
    await watched.assertClean('the dashboard of the visitor')
    await page.close()
  })

  test('asks for what the map shows', async () => {
    const { page } = await connected()
    await page.locator('.map-many').first().press('Enter')
    await page.locator('.map-chosen button').first().waitFor()
    const path = page.locator('.panel-map .request-path')
    await path.filter({ hasText: /near=(?!0,0)/ }).waitFor()
    await page.getByRole('button', { name: 'World' }).click()
    await path.filter({ hasText: 'near=0,0&within=20038' }).waitFor()
    await page.close()
  })

  test('shows what a week brings', async () => {
    const { page } = await connected()
    await press(page, 'A week later')
    await page
      .locator('.changes li')
      .filter({ hasText: /new or changed/ })
      .first()
      .waitFor()
    await page
      .locator('.services-news')
      .filter({ hasText: /new or changed|You let a week pass/ })
      .waitFor()
    await page.close()
  })

  test('says that a service is down and goes on when it is back', async () => {
    const { page } = await connected()
    const down = card(page, 'Demo Micro').locator('button').filter({ hasText: 'This service is down' })
    await down.click()
    await says(page, 'Demo Micro', 'Service is down')
    await card(page, 'Demo Micro').locator('.endpoint-trouble').filter({ hasText: 'next try' }).first().waitFor()
    await page.reload()
    await says(page, 'Demo Micro', 'Service is down')
    await page.locator('.feed-item').first().waitFor()
    await down.click()
    await says(page, 'Demo Micro', 'Up to date')
    await page.close()
  })

  test('says that a service throttles, and goes on when it does not', async () => {
    const { page } = await connected()
    const throttle = card(page, 'Demo Social').locator('button').filter({ hasText: 'Throttle' })
    await throttle.click()
    await says(page, 'Demo Social', 'Waiting')
    await throttle.click()
    // A response that was under way says the small limit once more, and the sync waits for minutes: the throttling is ended again.
    const upToDate = card(page, 'Demo Social').locator('.badge').filter({ hasText: 'Up to date' })
    const goesOn = () =>
      upToDate.waitFor({ timeout: 20_000 }).then(
        () => true,
        () => false,
      )
    while (!(await goesOn()))
      await page.evaluate(`fetch('/demo/controls', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'unthrottle', service: 'demo-social' }),
      })`)
    await page.close()
  })

  test('asks to sign in again when the access was revoked, and Back afterwards does no harm', async () => {
    const { page } = await connected()
    await card(page, 'Demo Social').locator('button').filter({ hasText: 'Revoke access' }).click()
    await says(page, 'Demo Social', 'Signed out')
    await page.getByRole('link', { name: 'Sign in again at Demo Social' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((address) => address.pathname === '/demo')
    await says(page, 'Demo Social', 'Up to date')
    await page.goBack()
    await page.goto(`${url}/demo`)
    await says(page, 'Demo Social', 'Up to date')
    await page.close()
  })

  test('says why a sign-in failed, once', async () => {
    const { page } = await open()
    await page.getByRole('link', { name: 'Connect Demo Health' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('alert').waitFor()
    await page.waitForURL((address) => address.search === '')
    await page.reload()
    await page.getByRole('button', { name: 'Show me', exact: true }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.close()
  })

  test('starts over in two tabs at once, and is down during the next first sync', async () => {
    const { page } = await connected()
    const opened = page.waitForEvent('popup')
    await page.evaluate(`void open('/demo')`)
    const other = await opened
    await other.getByText(UP_TO_DATE).waitFor()
    await press(page, 'Start over')
    await page.getByRole('dialog').locator('button.danger').click()
    await page.getByRole('button', { name: 'Show me', exact: true }).waitFor()
    await other.getByRole('button', { name: 'Show me', exact: true }).waitFor()
    await press(page, 'Show me')
    const down = card(page, 'Demo Social').locator('button').filter({ hasText: 'This service is down' })
    await down.click()
    await says(page, 'Demo Social', 'Service is down')
    await down.click()
    await page.getByText(UP_TO_DATE).waitFor()
    await says(page, 'Demo Social', 'Up to date')
    await other.close()
    await page.close()
  })

  test('has everything after the server was stopped and started again', async () => {
    const { page } = await connected()
    const items = await page.locator('.person-counts').innerText()
    const left = await page.context().newPage()
    await left.goto(`${url}/demo`)
    await left.getByText(UP_TO_DATE).waitFor()
    await demo.end('SIGINT')
    for (const tab of [page, left]) await tab.getByText('The server does not answer').waitFor()
    demo = await start()
    await page.getByText(UP_TO_DATE).waitFor()
    await page.reload()
    await page.getByText(UP_TO_DATE).waitFor()
    await page
      .locator('.person-counts')
      .filter({ hasText: items.split('\n')[0]! })
      .waitFor()
    await page.locator('.photo img').first().waitFor()
    // The tab that was not reloaded follows the changes again.
    await left.getByText(UP_TO_DATE).waitFor()
    await press(left, 'A week later')
    const changes = left.locator('.changes li').filter({ hasText: /new or changed/ })
    await changes.first().waitFor()
    await left.close()
    await page.close()
  })
})
