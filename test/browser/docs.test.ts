import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTributary, type Tributary } from '../harness/start.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'

const skip = await browserMissing()

suite('the API reference in a browser', { skip }, () => {
  let tributary: Tributary
  let browser: RunningBrowser
  before(async () => {
    tributary = await startTributary()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await tributary.stop()
  })

  /** Opens an operation by its link; collects what the console says. */
  async function open(operation: string): Promise<{ page: Page; complaints: string[]; addresses: string[] }> {
    const page = await browser.page()
    const complaints: string[] = []
    const addresses: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('request', (request) => addresses.push(request.url()))
    await page.goto(`${tributary.url}/docs#${operation}`)
    return { page, complaints, addresses }
  }

  async function send(page: Page, operation: string): Promise<string> {
    const details = page.locator(`#${operation}`)
    await details.locator('button').filter({ hasText: 'Try it' }).click()
    await details.locator('button').filter({ hasText: 'Send' }).click()
    const output = details.locator('pre[aria-live]').filter({ hasText: /^(\d{3}|The request failed)/ })
    await output.waitFor()
    return output.innerText()
  }

  test('a link opens its operation, and “Try it” calls it with the admin token', async () => {
    const { page, complaints, addresses } = await open('listApps')
    await page.locator('#admin-token').fill(tributary.adminToken)
    const shown = await send(page, 'listApps')
    assert.match(shown, /^200/)
    assert.match(shown, /\[\]$/)
    assert.deepEqual(complaints, [])
    for (const address of [...addresses, page.url()]) assert.ok(!address.includes(tributary.adminToken), address)
    await page.close()
  })

  test('sends a body, and id and secret of an app', async () => {
    const { page, complaints, addresses } = await open('createApp')
    await page.locator('#admin-token').fill(tributary.adminToken)
    const created = await send(page, 'createApp')
    assert.match(created, /^201/)
    const app = JSON.parse(created.slice(created.indexOf('{'))) as { client_id: string; client_secret: string }
    await page.locator('#client-id').fill(app.client_id)
    await page.locator('#client-secret').fill(app.client_secret)
    await page.locator('#listDestinations summary').click()
    assert.match(await send(page, 'listDestinations'), /^200/)
    assert.deepEqual(complaints, [])
    for (const address of addresses) assert.ok(!address.includes(app.client_secret), address)
    await page.close()
  })

  test('shows a refusal, and forgets credentials when the page is left', async () => {
    const { page } = await open('listProfiles')
    await page.locator('#access-token').fill('trt_wrong')
    assert.match(await send(page, 'listProfiles'), /^401[\s\S]*token_invalid/)
    await page.reload()
    assert.equal(await page.locator('#access-token').inputValue(), '')
    assert.deepEqual(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]'), [0, 0, ''])
    await page.close()
  })
})
