import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../harness/app.ts'
import type { LabHarness } from '../harness/lab.ts'
import { send } from '../harness/send.ts'
import { type Granted, signIn } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { violationsOf } from './axe.ts'

const skip = await browserMissing()

suite('pages for people with a real browser', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  const at = (path: string) => `${harness.tributary.url}${path}`
  /** A page, and every error that the browser reports on it. The status of a page is not one. */
  const open = async (options: Parameters<RunningBrowser['page']>[0] = {}) => {
    const page = await browser.page(options)
    const complaints: string[] = []
    page.on('console', (message) => {
      const isStatus = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
      if (message.type() === 'error' && !isStatus) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    return { page, complaints }
  }
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).click()
  const link = async (granted: Granted, locale?: string): Promise<string> => {
    const made = await send(harness, 'POST', '/connections/sessions', {
      json: { account: granted.account, locale },
      headers: basic(harness.app),
    })
    return made.body['url'] as string
  }
  const ada = async () => {
    const granted = await signIn(harness, 'demo-social', 'ada')
    await signIn(harness, 'demo-health', 'ada', { access_token: granted.access_token })
    return granted
  }
  /** Nothing serious in light and dark, wide and narrow, and nothing beyond the edge of the window. */
  const assertAccessible = async (page: Page, what: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 320]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        const where = `${what}, ${colorScheme}, ${width}`
        const serious = (await violationsOf(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical')
        assert.deepEqual(serious, [], where)
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, where)
      }
  }

  test('a person opens the link, ends a connection, goes back and reloads', async () => {
    const { page, complaints } = await open()
    const url = await link(await ada())
    await page.goto(url)
    await assertAccessible(page, 'the link')
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Demo Health' }).waitFor()
    await assertAccessible(page, 'the list')
    await follow(page, /End the connection to .*Demo Social/)
    await assertAccessible(page, 'the question')
    await press(page, 'Yes, end it')
    await page.getByRole('status').waitFor()
    assert.match(await page.getByRole('status').innerText(), /Demo Social.* has ended/)
    assert.equal(await page.getByRole('heading', { name: 'Demo Social' }).count(), 0)
    await page.reload()
    assert.equal(new URL(page.url()).pathname, '/connections')
    await page.goBack()
    await page.reload()
    await page.waitForURL(at('/connections'))
    await page.goto(url)
    assert.equal(page.url(), at('/connections'), 'the link again')
    assert.deepEqual(complaints, [])
  })

  test('in every language, also from right to left', async () => {
    const granted = await ada()
    const titles = new Set<string>()
    for (const language of ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ar']) {
      const { page, complaints } = await open()
      await page.goto(await link(granted, language))
      await page.getByRole('button').click()
      await page.waitForURL(at('/connections'))
      titles.add(await page.title())
      assert.equal(await page.evaluate('document.documentElement.lang'), language)
      if (language === 'ar') {
        assert.equal(await page.evaluate('document.documentElement.dir'), 'rtl')
        await assertAccessible(page, 'from right to left')
        await page.goto(at('/connections/delete'))
        await assertAccessible(page, 'the deletion, from right to left')
      }
      assert.deepEqual(complaints, [])
      await page.close()
    }
    assert.equal(titles.size, 7)
  })

  test('everything is deleted only after the word; the other tab is told', async () => {
    const { page, complaints } = await open()
    const granted = await ada()
    await page.goto(await link(granted))
    await press(page, 'Continue')
    await follow(page, 'Delete everything')
    await page.getByRole('textbox').fill('no')
    await press(page, 'Yes, delete everything')
    await page.getByRole('alert').waitFor()
    await assertAccessible(page, 'the wrong word')
    await page.getByRole('textbox').fill('delete')
    await press(page, 'Yes, delete everything')
    await page.getByRole('heading', { name: 'Everything was deleted' }).waitFor()
    await assertAccessible(page, 'after the deletion')
    await page.goBack()
    await page.reload()
    await page.getByRole('heading', { name: 'This page is closed' }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('errors are pages with a way on, and what helps the developer', async () => {
    const { page, complaints } = await open()
    const pages: [path: string, heading: string][] = [
      ['/nowhere', 'Page not found'],
      ['/oauth/access_token', 'This address is for programs'],
      [
        `/oauth/authenticate?client_id=${harness.app.clientId}&redirect_uri=http://localhost:4999/bakc`,
        'We couldn’t finish connecting',
      ],
      ['/oauth/authenticate?client_id=app_nobody', 'We couldn’t finish connecting'],
      ['/auth/demo-social/callback?state=x', 'We couldn’t finish connecting'],
    ]
    for (const [path, heading] of pages) {
      await page.goto(at(path))
      await page.getByRole('heading', { name: heading }).waitFor()
      await page.getByText('For the developer of the app').click()
      await assertAccessible(page, path)
    }
    await page.goto(at(pages[2]![0]))
    await page.getByText('For the developer of the app').click()
    const text = await page.evaluate<string>('document.body.innerText')
    assert.match(text, /bakc/, 'what was sent')
    assert.match(text, /http:\/\/localhost:4999\/back/, 'what is registered')
    assert.match(text, new RegExp(`app set ${harness.app.clientId} --redirect-uri '`), 'what helps')
    assert.deepEqual(complaints, [])
  })

  test('the icon is there, as pages name it and as browsers guess it', async () => {
    const { page } = await open()
    for (const path of ['/favicon.svg', '/favicon.ico']) {
      await page.goto(at('/'))
      const size = await page.evaluate<number>(`fetch('${path}').then(
        async (response) => (response.ok && response.headers.get('content-type').startsWith('image/') ? (await response.blob()).size : 0),
        () => -1,
      )`)
      // Pages may not fetch anything: the policy is in force.
      assert.equal(size, -1)
      const reply = await fetch(at(path))
      assert.deepEqual([reply.status, reply.headers.get('content-type')?.startsWith('image/')], [200, true])
    }
  })
})
