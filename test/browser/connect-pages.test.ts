import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { LANGUAGES } from '../../src/http/pages/languages/languages.ts'
import { basic } from '../harness/app.ts'
import type { LabHarness } from '../harness/lab.ts'
import { send } from '../harness/send.ts'
import { signIn } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { allowAgents, authorizeUrl } from '../spec/agents/fixture.ts'
import { pkce, startQuietHarness } from '../spec/sign-in/fixture.ts'
import { violationsOf } from './axe.ts'

const skip = await browserMissing()

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const SERVICES = 'demo-social,demo-micro,demo-health,mastodon,bluesky,feed,files,caldav,carddav,wordpress'
const PHONE = { width: 320, height: 700 }

suite('connect pages in a real browser', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let account: string
  /** The app's page. Only the port differs from the registered address, which is a loopback address. */
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
    account = (await signIn(harness, 'demo-social', 'ada')).account
    const branding = { color: '#ffd400', logo: PNG, privacy_url: 'https://app.test/privacy' }
    await harness.tributary.admin('PATCH', `/admin/apps/${harness.app.clientId}`, { branding })
    await allowAgents(harness, harness.app, ['demo-social'])
  })
  after(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
    await harness?.stop()
  })

  const newLink = async (json: object = {}): Promise<string> => {
    const fields = { redirect_uri: redirect, state: 'st', ...json }
    const { body, text } = await send(harness, 'POST', '/connect/sessions', {
      headers: basic(harness.app),
      json: fields,
    })
    assert.equal(typeof body['url'], 'string', text)
    return String(body['url'])
  }
  const connectUrl = (locale: string, more: Record<string, string> = {}) =>
    `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: harness.app.clientId, redirect_uri: redirect, services: SERVICES, locale, state: 'st', ...more }).toString()}`

  const agentUrl = (locale: string, more: Record<string, string> = {}) =>
    authorizeUrl(harness, { ...pkce().query, scope: 'items:read people:read write:demo-social', locale, ...more })

  /** Opens a page that collects what the console and the content security policy complain about. */
  const watched = async (options: Parameters<RunningBrowser['page']>[0] = {}) => {
    const page = await browser.page(options)
    const complaints: string[] = []
    page.on('console', (message) => {
      // A link that has ended has a status that says so.
      if (message.type() === 'error' && !/status of 4(03|04|10)/.test(message.text())) complaints.push(message.text())
    })
    return { page, complaints }
  }
  /** The person is signed in at the service after the first time, which asks for consent each time. */
  const allowAtService = async (page: Page) => {
    const login = page.getByRole('button', { name: 'Log in as Ada' })
    if ((await login.count()) > 0) await login.click()
    await page.getByRole('button', { name: 'Allow' }).click()
  }
  const signInAsAda = async (page: Page) => {
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
  }
  const back = async (page: Page): Promise<URLSearchParams> => {
    await page.waitForURL((url) => url.href.startsWith(redirect))
    return new URL(page.url()).searchParams
  }

  const PAGES: Record<string, (page: Page, locale: string) => Promise<unknown>> = {
    'the page of services': (page, locale) => page.goto(connectUrl(locale)),
    'the page of services after a search': (page, locale) => page.goto(connectUrl(locale, { q: 'nothing like it' })),
    'the page of a link': async (page, locale) =>
      page.goto(await newLink({ account, locale, label: 'ada@example.com' })),
    'the page with questions': (page, locale) =>
      page.goto(harness.startUrl('mastodon', { redirect_uri: redirect, locale })),
    'the page on which people type': (page, locale) =>
      page.goto(harness.startUrl('caldav', { redirect_uri: redirect, locale })),
    'the page of a file': (page, locale) => page.goto(harness.startUrl('files', { redirect_uri: redirect, locale })),
    'the confirmation': async (page, locale) => {
      await page.goto(harness.startUrl('demo-social', { redirect_uri: redirect, response_type: 'token', locale }))
      await allowAtService(page)
      await page.waitForURL((url) => url.pathname === '/oauth/confirm')
    },
    'the choice of a service for an agent': (page, locale) => page.goto(agentUrl(locale)),
    'the consent for an agent': async (page, locale) => {
      await page.goto(agentUrl(locale, { service: 'demo-social' }))
      await allowAtService(page)
      await page.waitForURL((url) => url.pathname === '/oauth/agents/consent')
    },
    'the status of a deletion': (page, locale) => page.goto(`${harness.tributary.url}/deletions/x?locale=${locale}`),
    'a link that was revoked': async (page, locale) => {
      const url = await newLink({ locale })
      await harness.sql('update connect_session set revoked_at = 1 where revoked_at is null and used_at is null')
      await page.goto(url)
    },
  }

  // Each opening takes a whole sign-in.
  const SIGNS_IN = ['the confirmation', 'the consent for an agent']

  for (const [name, open] of Object.entries(PAGES)) {
    test(`${name}: no axe violation in light, dark, 320 px and right-to-left; fits in seven languages`, async () => {
      const { page, complaints } = await watched({ viewport: { width: 1000, height: 800 } })
      for (const [locale, colorScheme, size] of [
        ['en', 'light', undefined],
        ['en', 'dark', PHONE],
        ['ar', 'light', PHONE],
      ] as const) {
        if (size !== undefined) await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme })
        await open(page, locale)
        assert.deepEqual(await violationsOf(page), [], `${locale} ${colorScheme}`)
        if (!SIGNS_IN.includes(name)) assert.ok((await page.content()).length < 30_000)
      }
      for (const locale of SIGNS_IN.includes(name) ? ['de', 'ja'] : LANGUAGES) {
        await open(page, locale)
        const seen = await page.evaluate<unknown>(
          '({ lang: document.documentElement.lang, dir: document.documentElement.dir, width: document.documentElement.scrollWidth, scripts: document.scripts.length })',
        )
        assert.deepEqual(
          seen,
          {
            lang: locale,
            dir: locale === 'ar' ? 'rtl' : 'ltr',
            width: PHONE.width,
            scripts: name.startsWith('the page of services') ? 1 : 0,
          },
          locale,
        )
      }
      assert.deepEqual(complaints, [])
      await page.close()
    })
  }

  test('a person without scripts searches, connects by a link, goes back, reloads, and sees that it is done', async () => {
    const { page, complaints } = await watched({ javaScriptEnabled: false, locale: 'en-US' })
    const url = await newLink({ services: SERVICES.split(',') })
    await page.goto(url)
    await page.getByRole('searchbox', { name: 'Search services' }).fill('social')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 service', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Demo Social' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).waitFor()
    await page.goBack()
    await page.reload()
    await page.getByRole('button', { name: 'Demo Social' }).click()
    await signInAsAda(page)
    const code = (await back(page)).get('code')!
    const granted = await send(harness, 'POST', '/oauth/access_token', { headers: basic(harness.app), form: { code } })
    assert.equal(granted.status, 200, granted.text)
    await page.goto(url)
    await page.getByRole('heading', { name: 'You are connected' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'You are connected' }).waitFor()
    assert.deepEqual(complaints, [])
    const other = await browser.page()
    await other.goto(url)
    await other.getByRole('heading', { name: 'This link was opened in another browser' }).waitFor()
    await other.close()
    await page.close()
  })

  test('by keyboard only: the list, a service, and the way back', async () => {
    const { page } = await watched()
    await page.goto(connectUrl('en'))
    const focused = async () => page.evaluate<string>('document.activeElement?.textContent?.trim() ?? ""')
    const seen: string[] = []
    for (let i = 0; i < 3 + SERVICES.split(',').length; i += 1) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    assert.deepEqual(seen.slice(0, 4), ['', 'Search', 'Demo Social', 'Demo Micro'])
    assert.equal(seen[2 + SERVICES.split(',').length], 'Cancel and go back to Lab App', 'after the services')
    await page.close()
  })

  test('denial and cancel lead back to the app with a reason', async () => {
    const { page } = await watched()
    await page.goto(connectUrl('en'))
    await page.getByRole('link', { name: 'Demo Social' }).click()
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    assert.equal((await back(page)).get('error'), 'access_denied')
    await page.goto(connectUrl('en'))
    await page.getByRole('link', { name: 'Cancel and go back to Lab App' }).click()
    const returned = await back(page)
    assert.deepEqual([returned.get('error'), returned.get('state')], ['access_denied', 'st'])
    await page.close()
  })

  test('a wrong answer leads back to the page: reload and Back send nothing again', async () => {
    const { page } = await watched()
    await page.goto(harness.startUrl('mastodon', { redirect_uri: redirect, locale: 'fr' }))
    await page.getByLabel('Votre serveur Mastodon').fill('pas un serveur')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.getByRole('alert').waitFor()
    const methods: string[] = []
    page.on('request', (request) => methods.push(request.method()))
    await page.reload()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Votre serveur Mastodon').inputValue(), 'pas un serveur')
    await page.goBack()
    assert.ok(methods.every((method) => method === 'GET'))
    await page.close()
  })
})
