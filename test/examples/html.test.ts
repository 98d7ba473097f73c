import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, MANY_ITEMS, startLabHarness } from '../harness/lab.ts'
import { until } from '../harness/until.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'

const skip = await browserMissing()
const example = readFileSync(join(import.meta.dirname, '../../examples/html/index.html'), 'utf8')

suite('the example html, in a browser', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let server: Server
  let home: string
  before(async () => {
    harness = await startLabHarness({}, {}, { maxActivity: MANY_ITEMS })
    browser = await openBrowser()
    let page = ''
    server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    home = `http://localhost:${(server.address() as AddressInfo).port}/`
    const { clientId } = await harness.makeApp({ redirectUris: [home] })
    page = example.replace('http://localhost:8042', harness.tributary.url).replace('app_…', clientId)
  })
  after(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
    await harness.stop()
  })

  const status = (page: Page, pattern: RegExp) =>
    until(
      `the page says ${pattern}`,
      () => page.locator('#status').innerText(),
      (text) => pattern.test(text),
    )

  test('a person connects, the photos arrive, and the token is not in the address', async () => {
    const page = await browser.page()
    await page.goto(home)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await status(page, /^Connected: Ada Marlowe\.$/)
    assert.equal(await page.locator('#photos li').count(), 12)
    assert.equal(page.url(), home)
    await page.reload()
    await status(page, /^Not connected\.$/)
    await page.close()
  })

  test('a refusal, and a token of a sign-in that began elsewhere, are told', async () => {
    const page = await browser.page()
    await page.goto(home)
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await status(page, /Not connected: access_denied/)
    await page.close()
    const other = await browser.page()
    await other.goto(`${home}#access_token=trt_forged&state=forged`)
    await status(other, /did not begin here/)
    assert.equal(other.url(), home)
    await other.close()
  })
})
