import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../harness/app.ts'
import { FROM_DASHBOARD, newOperator, PASSWORD } from '../harness/operator.ts'
import { newPerson } from '../harness/person.ts'
import { send } from '../harness/send.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { builtWeb } from './built-web.ts'
import { openDashboard } from './dashboard.ts'
import { type WatchedPage, watchPage } from './watched-page.ts'

const skip = await browserMissing()
/** A refused request is an error in the browser's console. */
const REFUSALS = [/status of (400|401|403|409)/]

suite('the dashboard and its operators', { skip }, () => {
  let tributary: Tributary
  let browser: RunningBrowser
  before(async () => {
    await builtWeb()
    tributary = await startTributary()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await tributary.stop()
  })

  const open = async (path: string): Promise<WatchedPage> => {
    const watched = await watchPage(await browser.page(), REFUSALS)
    await watched.page.goto(`${tributary.url}/dashboard${path}`)
    return watched
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor()
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first()
  const newLink = async (fields: object = { role: 'operator' }) =>
    new URL(((await tributary.admin('POST', '/admin/operators', fields)).body as { url: string }).url)
  const openLink = async () => {
    const { pathname, hash } = await newLink()
    return open(`${pathname.replace('/dashboard', '')}${hash}`)
  }
  const signIn = async (page: Page, name: string, password = PASSWORD) => {
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
  }

  test('a link leads to a name and a password, once, and then to the overview', async () => {
    const { pathname, hash } = await newLink({ role: 'operator', name: 'Grace' })
    const watched = await open(`${pathname.replace('/dashboard', '')}${hash}`)
    const { page } = watched
    await heading(page, 'Your access to Tributary')
    assert.equal(await page.getByLabel('Name').inputValue(), 'Grace')
    await watched.assertClean('accept')
    await page.getByLabel('Password').fill(PASSWORD)
    await button(page, 'Set password and sign in').click()
    await heading(page, 'Overview')
    assert.ok(!page.url().includes('#'), page.url())
    await page.goBack()
    const second = await open(`${pathname.replace('/dashboard', '')}${hash}`)
    await second.page.getByText('was used').waitFor()
    await Promise.all([page.close(), second.page.close()])
  })

  test('signing in leads back to where one wanted to go, and a wrong password says so', async () => {
    const { name } = await newOperator(tributary)
    const watched = await open('/audit?action=app.create')
    const { page } = watched
    await heading(page, 'Sign in')
    await watched.assertClean('sign-in')
    await signIn(page, name, 'not the password')
    await page.getByText('The name or the password is wrong.').waitFor()
    await signIn(page, name)
    await heading(page, 'Audit')
    assert.match(page.url(), /\/dashboard\/audit\?action=app\.create$/)
    await page.reload()
    await heading(page, 'Audit')
    await page.close()
  })

  test('a passkey is created with a link, signs in, and confirms a dangerous action', async () => {
    const watched = await openLink()
    const { page } = watched
    const tools = await page.context().newCDPSession(page)
    await tools.send('WebAuthn.enable')
    await tools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.getByLabel('Name').fill('Hedy')
    await button(page, 'Create a passkey instead').click()
    await heading(page, 'Overview')
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByLabel('Name of the new passkey').waitFor()
    await button(page, 'Sign out').click()
    await heading(page, 'Sign in')
    await button(page, 'Use a passkey').click()
    await heading(page, 'Overview')
    await tributary.sql('update operator_session set authenticated_at = 0', [])
    await page.getByRole('link', { name: 'Operators' }).click()
    await button(page, 'Invite').click()
    await button(page, 'Make a link').click()
    await heading(page, 'Confirm that it is you')
    await button(page, 'Use a passkey').click()
    await page.getByText('It is not shown again.').waitFor()
    await page.close()
  })

  test('operators are invited, changed and removed, and sessions ended', async () => {
    await makeApp(tributary, { name: 'Photo album' })
    const { name } = await newOperator(tributary)
    const watched = await openDashboard(browser, tributary, '/operators')
    const { page } = watched
    await heading(page, 'Operators')
    await page.getByText(name, { exact: true }).first().waitFor()
    await watched.assertClean('operators')
    await button(page, 'Invite').click()
    await page.getByLabel('Name').fill('Invited')
    await page.getByLabel('Role').selectOption('developer')
    await page.getByRole('checkbox', { name: 'Photo album' }).check()
    await watched.assertClean('invite')
    await button(page, 'Make a link').click()
    await page.getByText('It is not shown again.').waitFor()
    await button(page, 'Close').click()
    await page.getByText('Invited (new)').waitFor()
    const row = page.locator('tr').filter({ hasText: name }).first()
    await row.locator('button').filter({ hasText: 'Change' }).click()
    await page.getByLabel('Role').selectOption('developer')
    await button(page, 'Save').click()
    await page
      .locator('tr')
      .filter({ hasText: `${name}developer` })
      .first()
      .waitFor()
    await row.locator('button').filter({ hasText: 'Remove' }).click()
    await page.locator('dialog button.danger').click()
    await page.getByText(name, { exact: true }).first().waitFor({ state: 'detached' })
    await page.close()
  })

  test('a page that is open leads to the sign-in when its session is ended elsewhere', async () => {
    const { id, name } = await newOperator(tributary)
    const { page } = await open('/settings')
    await signIn(page, name)
    await heading(page, 'Settings')
    await tributary.admin('DELETE', `/admin/operators/${id}/sessions`)
    await page.getByRole('link', { name: 'Audit' }).click()
    await heading(page, 'Sign in')
    await signIn(page, name)
    await heading(page, 'Audit')
    await page.close()
  })

  test('a developer sees the pages of their apps, and is told what is not for them', async () => {
    const app = await makeApp(tributary, { name: 'Only mine' })
    const { name } = await newOperator(tributary, { role: 'developer', apps: [app.clientId] })
    const watched = await watchPage(await browser.page(), [/status of 401/])
    const { page } = watched
    await page.goto(`${tributary.url}/dashboard/settings`)
    await signIn(page, name)
    await heading(page, 'Only for operators')
    await page.getByText('ask an operator').waitFor()
    await watched.assertClean('a page for operators')
    await page.goto(`${tributary.url}/dashboard/operators`)
    await heading(page, 'Only for operators')
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await heading(page, 'Items per hour')
    const pages = await page.locator('nav.frame-nav a').allInnerTexts()
    assert.deepEqual(pages, ['Overview', 'Apps and keys', 'Accounts', 'Items', 'Push', 'Services', 'Log', 'Audit'])
    for (const each of pages) {
      await page.locator('nav.frame-nav a').filter({ hasText: each }).click()
      await heading(page, each)
      // A request that is refused would be in the console.
      await page.getByText('Loading…').first().waitFor({ state: 'detached' })
      await watched.assertClean(each)
    }
    await page.getByText('app.create').first().waitFor()
    assert.equal(await page.getByText('operator.invite').count(), 0)
    await page.getByRole('link', { name: 'Apps and keys' }).click()
    await page.getByRole('link', { name: 'Only mine' }).click()
    await page.getByRole('button', { name: 'Secrets' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
    const overrides = { base_url: 'https://github.example' }
    await tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/github`, { key: 'k', secret: 's', overrides })
    await page.goto(`${page.url().split('?')[0]}?service=github`)
    await page.getByText('Scope, webhooks and other addresses').click()
    await page.getByText('Only an operator can set other addresses for the service, because').waitFor()
    await page.getByText('https://github.example').waitFor()
    assert.equal(await page.getByLabel('Overrides').count(), 0)
    await page.getByLabel('Key', { exact: true }).fill('own key')
    await page.getByRole('button', { name: 'Save keys' }).click()
    await page.getByText('Saved.').waitFor()
    await watched.assertClean('keys of a developer')
    await page.goto(`${page.url().split('?')[0]}?tab=delete`)
    await page.getByText('Only an operator may delete an app.').waitFor()
    await watched.assertClean('an app of a developer')
    await page.close()
  })

  test('who becomes an operator while a page is open sees the pages for operators, and the other way round', async () => {
    const app = await makeApp(tributary, { name: 'Promoted' })
    const { id, name } = await newOperator(tributary, { role: 'developer', apps: [app.clientId] })
    const { page } = await open('/apps')
    await signIn(page, name)
    await page.getByRole('link', { name: 'Promoted' }).waitFor()
    assert.equal(await button(page, 'Create an app').count(), 0)
    await tributary.admin('PATCH', `/admin/operators/${id}`, { role: 'operator' })
    await page.reload()
    await button(page, 'Create an app').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await heading(page, 'Settings')
    await tributary.admin('PATCH', `/admin/operators/${id}`, { role: 'developer', apps: [] })
    await page.reload()
    await heading(page, 'Only for operators')
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await page.getByText('You have no app yet.').waitFor()
    await page.close()
  })

  test('the audit log is filtered by the address, and the settings are shown', async () => {
    const app = await makeApp(tributary, { name: 'Audited' })
    await newPerson(tributary.store, app.clientId)
    const watched = await openDashboard(browser, tributary, '/audit')
    const { page } = watched
    await page
      .getByRole('cell', { name: /^Tester / })
      .first()
      .waitFor()
    await page.getByText('operator.invite').first().waitFor()
    await watched.assertClean('audit')
    await page.getByLabel('Action').fill('app.create')
    await button(page, 'Filter').click()
    await page.waitForURL(/action=app\.create/)
    await page.getByText('operator.invite').first().waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByText('operator.invite').first().waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('tributary keyring rotate').first().waitFor()
    await watched.assertClean('settings')
    await page.getByRole('link', { name: 'Your account' }).click()
    await heading(page, 'Your sessions')
    await watched.assertClean('account')
    await page.close()
  })

  test('days of the audit log are those of the browser', async () => {
    const { name } = await newOperator(tributary)
    const page = await browser.page({ timezoneId: 'Pacific/Kiritimati' })
    const asked = new Promise<URL>((resolve) =>
      page.on('request', (request) => {
        const url = new URL(request.url())
        if (url.pathname === '/admin/audit') resolve(url)
      }),
    )
    await page.goto(`${tributary.url}/dashboard/audit?from=2026-03-28&to=2026-03-29`)
    await signIn(page, name)
    const { searchParams } = await asked
    const HOURS_AHEAD = 14 * 3_600_000
    assert.equal(Number(searchParams.get('since')), Date.UTC(2026, 2, 28) - HOURS_AHEAD)
    assert.equal(Number(searchParams.get('until')), Date.UTC(2026, 2, 30) - HOURS_AHEAD)
    await page.close()
  })

  test('a page of another port of this machine cannot use the session', async () => {
    const { name } = await newOperator(tributary)
    const { page } = await open('/settings')
    await signIn(page, name)
    await heading(page, 'Settings')
    const other = await page.context().newPage()
    const { createServer } = await import('node:http')
    const elsewhere = createServer((_request, response) => response.end('<!doctype html><title>Other</title>'))
    await new Promise<void>((resolve) => elsewhere.listen(0, 'localhost', resolve))
    try {
      const { port } = elsewhere.address() as { port: number }
      await other.goto(`http://localhost:${port}/`)
      const result = await other.evaluate<string>(`fetch('${tributary.url}/admin/operators', {
        method: 'POST', credentials: 'include', body: '{"role":"operator"}',
        headers: { 'content-type': 'application/json', 'tributary-dashboard': '1' } }).then((r) => 'answered ' + r.status, () => 'blocked')`)
      assert.equal(result, 'blocked')
      const simple = await other.evaluate<string>(`fetch('${tributary.url}/dashboard/session', {
        method: 'DELETE', mode: 'no-cors', credentials: 'include' }).then(() => 'sent', () => 'blocked')`)
      assert.equal(simple, 'blocked')
      await page.reload()
      await heading(page, 'Settings')
    } finally {
      elsewhere.closeAllConnections()
      elsewhere.close()
    }
    const posted = await send({ tributary }, 'POST', '/dashboard/session', {
      form: { name, password: PASSWORD },
      headers: { origin: 'http://localhost:1' },
    })
    assert.equal(posted.body['reason'], 'origin_refused')
    assert.equal(FROM_DASHBOARD['tributary-dashboard'], '1')
    await page.close()
  })
})
