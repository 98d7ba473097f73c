import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { makeApp } from '../harness/app.ts'
import { callbackOf } from '../harness/callback.ts'
import type { LabHarness } from '../harness/lab.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { openDashboard } from './dashboard.ts'
import type { WatchedPage } from './watched-page.ts'

const skip = await browserMissing()

suite('the pages of apps and keys', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let watched: WatchedPage
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
    watched = await openDashboard(browser, harness.tributary, '/apps', [/status of 40[04]/])
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  const apps = async () =>
    (await harness.tributary.admin('GET', '/admin/apps')).body as { client_id: string; name: string }[]
  const idOf = async (name: string) => (await apps()).find((each) => each.name === name)!.client_id
  const at = () => new URL(watched.page.url())

  test('create an app: the secret is shown once, then its keys', async () => {
    const { page } = watched
    await page.getByRole('button', { name: 'Create an app' }).click()
    await page.getByLabel('Name').fill('Field notes')
    await page.getByLabel('Redirect addresses').fill('not an address')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').getByText('is not an absolute address').waitFor()
    await page.getByLabel('Redirect addresses').fill('https://notes.example/back')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const secret = (await page.locator('.once-secret').textContent()) ?? ''
    assert.match(secret, /^trs_/)
    await page.getByRole('button', { name: 'Go to its keys' }).click()
    await page.getByRole('heading', { name: 'Field notes' }).waitFor()
    assert.equal(at().pathname, `/dashboard/apps/${await idOf('Field notes')}`)
    await page.reload()
    await page.getByRole('heading', { name: 'Field notes' }).waitFor()
    assert.doesNotMatch(await page.content(), new RegExp(secret))
    await page.goBack()
    await page.getByRole('heading', { name: 'Apps and keys' }).waitFor()
  })

  test('enter keys, test them, correct a wrong secret; the choice is in the address', async () => {
    const { page } = watched
    const id = await idOf('Field notes')
    await page.goto(`${harness.tributary.url}/dashboard/apps/${id}`)
    await page.getByRole('heading', { name: 'This app has no keys yet' }).waitFor()
    await page.getByLabel('Search services').fill('demo social')
    await page.getByRole('button', { name: /^Demo Social/ }).click()
    await page.getByText(`${harness.tributary.url}/auth/demo-social/callback`).waitFor()
    const { url, register } = harness.lab.services['demo-social']
    const callback = callbackOf(harness.tributary, { clientId: id }, 'demo-social', { base_url: url })
    const { key, secret } = register({ redirectUris: [callback] })
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByLabel('Secret', { exact: true }).fill('wrong-secret-word')
    await page.getByText('Scope, webhooks and other addresses').click()
    await page.getByLabel('Overrides').fill(`base_url=${url}`)
    await page.getByRole('button', { name: 'Save keys' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByText(callback, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Test these keys' }).click()
    await page.getByText('The keys do not work yet.').waitFor()
    await page.getByText('Copy the key and the secret from the service again').waitFor()
    await page.getByLabel('Secret', { exact: true }).fill(secret)
    await page.getByRole('button', { name: 'Save keys' }).click()
    await page.getByText('Saved.').waitFor()
    await page.getByRole('button', { name: 'Test these keys' }).click()
    await page.getByText('The keys work.').waitFor()
    assert.equal(at().searchParams.get('service'), 'demo-social')
    await page.reload()
    await page.getByRole('heading', { name: 'Demo Social' }).waitFor()
    assert.equal(await page.getByLabel('Secret', { exact: true }).inputValue(), '')
    assert.equal(await page.getByLabel('Key', { exact: true }).inputValue(), key)
    assert.match(await page.getByLabel('The keys in use').innerText(), new RegExp(`${key}[^]*••••`))
    assert.doesNotMatch(await page.content(), new RegExp(secret))
    // Without a choice in the address, a service with keys is shown.
    await page.goto(`${harness.tributary.url}/dashboard/apps/${id}`)
    await page.getByRole('heading', { name: 'Demo Social' }).waitFor()
    await watched.assertClean('keys')
  })

  test('the header shows the app that is open, and opens the one that is chosen there', async () => {
    const { page } = watched
    const [first, second] = [await idOf('Field notes'), (await makeApp(harness.tributary, { name: 'Second' })).clientId]
    const choice = page.locator('.app-choice select')
    const opened = async (name: string, id: string) => {
      await page.goto(`${harness.tributary.url}/dashboard/apps?app=${first}`)
      await page.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.locator(`.app-choice option[value="${id}"]:checked`).waitFor({ state: 'attached' })
    }
    await opened('Second', second)
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByRole('heading', { name: 'Log', exact: true }).waitFor()
    assert.equal(await choice.inputValue(), second, 'the next page is about it, too')
    await opened('Field notes', first)
    await choice.selectOption(second)
    await page.getByRole('heading', { name: 'Second', exact: true }).waitFor()
    assert.equal(at().pathname, `/dashboard/apps/${second}`)
    await page.goto(`${harness.tributary.url}/dashboard/apps/${first}?service=demo-social`)
    await page.getByRole('heading', { name: 'Demo Social' }).waitFor()
  })

  test('a sign-in can be tried once the page is a redirect address; the code leaves the address', async () => {
    const { page } = watched
    const id = await idOf('Field notes')
    await page.getByRole('button', { name: 'Add this redirect address' }).click()
    const link = page.getByRole('link', { name: 'Try the sign-in' })
    await link.click()
    await page.getByRole('link', { name: 'Demo Social' }).waitFor()
    await page.goBack()
    await page.goto(`${harness.tributary.url}/dashboard/apps/${id}?code=made-up-code`)
    await page.getByText('The sign-in works').waitFor()
    await page.waitForURL((address) => !address.searchParams.has('code'))
    await page.goto(`${harness.tributary.url}/dashboard/apps/${id}?error=access_denied&error_description=Declined`)
    await page.getByText('The sign-in failed: Declined').waitFor()
  })

  test('settings, look and secrets', async () => {
    const { page } = watched
    const id = await idOf('Field notes')
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Token flow').uncheck()
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    // An open page also asks now and then whether its session still exists.
    assert.deepEqual(
      sent.filter((each) => each !== 'GET /dashboard/session').toSorted(),
      ['GET /admin/apps', `GET /admin/apps/${id}`, `PATCH /admin/apps/${id}`],
      'what is changed is read again, and nothing else',
    )
    await watched.assertClean('settings')
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByLabel('Colour', { exact: true }).fill('#7a1fa2')
    await page.getByLabel('Privacy policy').fill('https://notes.example/privacy')
    await page.getByRole('button', { name: 'Save look' }).click()
    await page.getByText('Saved.').waitFor()
    await watched.assertClean('look')
    await page.getByRole('button', { name: 'Secrets' }).click()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByText('The new client secret.').waitFor()
    await page.getByText('replaced').waitFor()
    await watched.assertClean('secrets')
    await page.getByRole('button', { name: 'End it now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End it now' }).click()
    await page.getByText('The previous secret has ended.').waitFor()
    const shown = (await harness.tributary.admin('GET', `/admin/apps/${id}`)).body as {
      token_flow: boolean
      secrets: unknown[]
      branding: { color: string }
    }
    assert.deepEqual([shown.token_flow, shown.secrets.length, shown.branding.color], [false, 1, '#7a1fa2'])
    await page.goBack()
    await page.getByLabel('Privacy policy').waitFor()
  })

  test('delete an app by typing its name', async () => {
    const { page } = watched
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the app' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete the app' })
    assert.equal(await confirm.isDisabled(), true)
    await page.getByLabel('Type Field notes to confirm').fill('Field notes')
    await confirm.click()
    await page.getByRole('heading', { name: 'Apps and keys' }).waitFor()
    assert.equal(
      (await apps()).some(({ name }) => name === 'Field notes'),
      false,
    )
    await watched.assertClean('apps')
  })
})
