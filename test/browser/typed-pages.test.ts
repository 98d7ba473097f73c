import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type App, makeApp } from '../harness/app.ts'
import { startUrl } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startTypedHarness, type TypedHarness } from '../spec/sign-in/typed-fixture.ts'
import { assertUsable } from './page-rules.ts'

const skip = await browserMissing()

suite('pages on which people type, in a real browser', { skip }, () => {
  let harness: TypedHarness
  let lab: Lab<'mastodon'>
  let browser: RunningBrowser
  let server: Server
  let app: App
  let back: string
  before(async () => {
    lab = await startLab({ services: ['mastodon'] })
    harness = await startTypedHarness()
    browser = await openBrowser()
    server = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<title>App</title>'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    back = `http://localhost:${(server.address() as AddressInfo).port}/back`
    app = await makeApp(harness.tributary, { name: 'Typed App', redirectUris: [back] })
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
    await harness?.stop()
    await lab?.close()
  })

  const open = async (service: string, options: Parameters<RunningBrowser['page']>[0] = {}): Promise<Page> => {
    const page = await browser.page(options)
    await page.goto(startUrl(harness, service, { redirect_uri: back, state: 'st' }, app))
    return page
  }
  const look = async (page: Page, what: string) => {
    await assertUsable(page, what)
    const folder = process.env['TEST_SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${what.replaceAll(' ', '-')}.png` })
  }
  const returned = async (page: Page): Promise<URL> => {
    for (;;)
      try {
        await page.waitForURL((url) => url.href.startsWith(back))
        return new URL(page.url())
      } catch (error) {
        if (!String(error).includes('ERR_ABORTED')) throw error
      }
  }

  test('a person types a wrong password, reloads, types the right one twice, and goes back', async () => {
    const page = await open('password-service')
    await look(page, 'the typed page')
    await page.reload()
    await page.getByLabel('Name').fill('ada')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('alert').waitFor()
    await look(page, 'the typed page after an error')
    assert.equal(await page.getByLabel('Name').inputValue(), 'ada')
    assert.equal(await page.getByLabel('Password').inputValue(), '')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Connect' }).dblclick()
    const first = await returned(page)
    assert.ok(first.searchParams.get('code'))
    await page.goto(startUrl(harness, 'password-service', { redirect_uri: back, state: 'st' }, app))
    await page.goBack()
    await returned(page)
    await page.close()
  })

  test('a person chooses a wrong file, then a calendar, by the field that also takes a drop', async () => {
    const page = await open('files', { viewport: { width: 360, height: 740 } })
    await look(page, 'the page of a file')
    const field = page.getByLabel('Choose a file, or drop it here')
    const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    await field.setInputFiles(file('x.pdf', '%PDF-1.7'))
    await page.getByRole('button', { name: 'Upload and connect' }).click()
    await page.getByRole('alert').waitFor()
    await look(page, 'the page of a file after an error')
    await page.reload()
    const calendar = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20260301T100000Z\nEND:VEVENT\nEND:VCALENDAR\n'
    await field.setInputFiles(file('c.ics', calendar))
    await page.getByRole('button', { name: 'Upload and connect' }).click()
    assert.ok((await returned(page)).searchParams.get('code'))
    await page.close()
  })

  test('a person cancels the page of a file', async () => {
    const page = await open('files')
    await page.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await returned(page)).searchParams.get('error'), 'access_denied')
    await page.close()
  })

  test('a person names a feed on a phone; a fault stands beside its field', async () => {
    const page = await open('feed', { viewport: { width: 360, height: 740 } })
    await look(page, 'the feed page on a phone')
    await page.getByLabel('Feed or web page').fill('ftp://x')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.locator('.fault').waitFor()
    await look(page, 'the feed page with a fault')
    await page.close()
  })

  test('a person names a wrong server, then the right one, reloads and goes back', async () => {
    const page = await open('mastodon', { viewport: { width: 360, height: 740 } })
    const field = page.getByLabel('Your Mastodon server')
    await look(page, 'the page with a question')
    await field.fill('not a host')
    await field.press('Enter')
    await page.locator('[aria-invalid="true"]').waitFor()
    await look(page, 'the page with a question after an error')
    await page.goto(startUrl(harness, 'mastodon', { redirect_uri: back, state: 'st' }, app))
    await page.reload()
    await page.getByLabel('Your Mastodon server').fill(new URL(lab.services.mastodon.url).host)
    await page.getByLabel('Your Mastodon server').press('Enter')
    await page.waitForURL((url) => url.href.startsWith(lab.services.mastodon.url))
    await page.goBack()
    await page.getByLabel('Your Mastodon server').waitFor()
    await page.close()
  })
})
