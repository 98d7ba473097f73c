import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ENTRIES } from '../catalogue/entries.ts'
import type { LabHarness } from '../harness/lab.ts'
import { REDIRECT } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { violationsOf } from './axe.ts'

const skip = await browserMissing()

/** Services that need no keys, more than a page has. */
const MANY = [...ENTRIES]
  .filter(([, { auth }]) => 'key' in auth)
  .map(([name]) => name)
  .slice(0, 60)
const FEW = ['demo-social', 'demo-micro', 'demo-health', 'mastodon', 'bluesky', 'feed', 'files', 'caldav', 'carddav']

suite('search as you type', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  /** A page that keeps what it asks the server for, and what the console complains about. */
  const opened = async (services: readonly string[], more: Record<string, string> = {}) => {
    const page = await browser.page({ viewport: { width: 360, height: 740 } })
    const asked: string[] = []
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    const query = {
      client_id: harness.app.clientId,
      redirect_uri: REDIRECT,
      services: services.join(','),
      locale: 'en',
    }
    await page.goto(`${harness.tributary.url}/connect?${new URLSearchParams({ ...query, ...more }).toString()}`)
    page.on('request', (request) => {
      if (!request.url().includes('/marks/')) asked.push(new URL(request.url()).searchParams.get('q') ?? request.url())
    })
    return { page, asked, complaints }
  }
  const field = (page: Page) => page.getByRole('searchbox', { name: 'Search services' })
  const shown = async (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.services li:not([hidden]) a')].map((link) => link.textContent)`,
    )

  test('a list that is whole on its page is filtered there, without a request', async () => {
    const { page, asked, complaints } = await opened(FEW)
    await field(page).focus()
    await page.keyboard.type('cáld')
    await page.getByText('1 service', { exact: true }).waitFor()
    assert.deepEqual(await shown(page), ['CalDAV'])
    await field(page).fill('dem mi')
    await page.getByText('1 service', { exact: true }).waitFor()
    assert.deepEqual(await shown(page), ['Demo Micro'])
    await field(page).fill('<zz>')
    await page.getByText('No service matches “<zz>”.').waitFor()
    assert.deepEqual(await shown(page), [])
    await field(page).fill('')
    await page.getByRole('link', { name: 'Feed' }).waitFor()
    assert.equal((await shown(page)).length, FEW.length)
    assert.deepEqual(asked, [])
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('a longer list is loaded after the last key, and a reload keeps what was typed', async () => {
    const { page, asked, complaints } = await opened(MANY, { state: 'a b' })
    assert.ok((await shown(page)).length < MANY.length)
    const [name = ''] = MANY.slice(-1)
    const title = ENTRIES.get(name)?.title ?? ''
    await field(page).focus()
    await page.keyboard.type(title)
    await page.getByRole('link', { name: title, exact: true }).waitFor()
    await page.getByRole('status').getByText('service', { exact: false }).waitFor()
    assert.ok((await shown(page)).includes(title))
    assert.ok(asked.length < title.length && asked.at(-1) === title, asked.join(' '))
    assert.equal(await page.evaluate('document.activeElement.type'), 'search', 'the field keeps the focus')
    assert.deepEqual(await violationsOf(page), [])
    const href = await page.getByRole('link', { name: title, exact: true }).getAttribute('href')
    assert.equal(new URL(href ?? '', page.url()).searchParams.get('state'), 'a b')
    await page.reload()
    assert.equal(await field(page).inputValue(), title)
    assert.ok((await shown(page)).includes(title))
    assert.deepEqual(complaints, [])
    await page.close()
  })

  test('by keyboard: the arrows lead from the field through the list and back', async () => {
    const { page } = await opened(FEW)
    const focused = () => page.evaluate<string>('document.activeElement.textContent || document.activeElement.type')
    await field(page).fill('demo')
    await page.getByText('3 services', { exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    assert.equal(await focused(), 'Demo Social')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    assert.equal(await focused(), 'Demo Health')
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowUp')
    assert.equal(await focused(), 'search')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Log in as Ada' }).waitFor()
    await page.close()
  })

  test('every service has a picture: its mark, or a letter', async () => {
    const { page } = await opened([
      'github',
      'demo-social',
      'feed',
      'bluesky',
      'mastodon',
      'caldav',
      'files',
      'carddav',
    ])
    const sizes = await page.evaluate<
      number[]
    >(`Promise.all([...document.querySelectorAll('.services img')].map(async (image) => {
      image.loading = 'eager'
      await image.decode()
      return image.naturalWidth
    }))`)
    assert.deepEqual(
      sizes,
      Array.from({ length: 7 }, () => 40),
    )
    await page.close()
  })
})
