import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../harness/lab.ts'
import { get } from '../harness/send.ts'
import { signIn, walk } from '../harness/sign-in.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { logged } from '../spec/operating/log/log-reading.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { openDashboard } from './dashboard.ts'
import { shown } from './shown.ts'

const skip = await browserMissing()

suite('the log in the dashboard', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let account: string
  let callId: string
  before(async () => {
    harness = await startQuietHarness()
    browser = await openBrowser()
    const granted = await signIn(harness, 'demo-social', 'ada')
    ;({ account } = granted)
    await get(harness, "/proxy/demo-social/me/it's", granted.access_token)
    const body = '{"error":"invalid_client","error_description":"Unknown client"}'
    harness.lab.services['demo-social'].faults.add({ path: '/oauth/token', kind: 'response', status: 401, body })
    await walk(harness.startUrl('demo-social'), { person: 'ada' })
    const { clientId } = harness.app
    await logged(harness, clientId, { reason: 'keys_refused' })
    callId = (await logged(harness, clientId, { kind: 'proxy' })).id
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  test('a developer finds why a sign-in failed, and the address keeps what is shown', async () => {
    const watched = await openDashboard(browser, harness.tributary, '/log')
    const { page } = watched
    await page.getByRole('group', { name: 'Operations' }).waitFor()
    const rows = page.locator('tbody tr')
    await shown(rows, 3)
    await page.getByLabel('Outcome').selectOption('failed')
    await page.waitForURL(/outcome=failed/)
    await page.getByRole('link', { name: 'keys_refused' }).waitFor()
    await rows.nth(1).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'keys_refused' }).waitFor()
    await shown(rows, 1)
    await watched.assertClean('the log')
    await page.getByRole('link', { name: /refuses the app/ }).click()
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    await page.getByText('Token exchange').waitFor()
    await page.getByText('invalid_client: Unknown client').first().waitFor()
    await watched.assertClean('an operation')
    const reason = page.getByRole('link', { name: 'keys_refused' }).first()
    assert.equal(await reason.getAttribute('href'), '/docs#log-keys_refused')
    await page.goBack()
    await page.getByLabel('Outcome').waitFor()
    assert.equal(await page.getByLabel('Outcome').inputValue(), 'failed')
    await shown(rows, 1)
    await page.close()
    const docs = await (await fetch(`${harness.tributary.url}/docs`, { headers: { accept: 'text/html' } })).text()
    assert.ok(docs.includes('id="log-keys_refused"'))
  })

  test('the search is in the address, and Back undoes it', async () => {
    const { page } = await openDashboard(browser, harness.tributary, '/log')
    await page.getByLabel('Search').fill('nothing-has-this')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('Nothing is logged that matches.').waitFor()
    assert.match(page.url(), /q=nothing-has-this/)
    await page.goBack()
    await page.locator('tbody tr').first().waitFor()
    assert.equal(await page.getByLabel('Search').inputValue(), '')
    await page.goForward()
    await page.getByText('Nothing is logged that matches.').waitFor()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await page.locator('tbody tr').first().waitFor()
    await page.close()
  })

  test('a shared address shows an operation, the account is one click away, and a call can be sent again', async () => {
    const watched = await openDashboard(browser, harness.tributary, `/log/${callId}`)
    const { page } = watched
    await page.getByRole('heading', { name: 'Send it again' }).waitFor()
    const curl = (await page.getByLabel('The call as curl').textContent()) ?? ''
    assert.match(curl, /^curl '.*\/proxy\/demo-social\/me\/it'\\''s' \\\n {2}-H "Authorization: Bearer \$TOKEN"$/)
    const link = page.getByRole('link', { name: account })
    assert.match((await link.getAttribute('href')) ?? '', new RegExp(`^/dashboard/accounts/${account}\\?app=`))
    await watched.assertClean('a proxied call')
    await page.close()
  })

  test('what happens while the page is open appears with “Live”', async () => {
    const { page } = await openDashboard(browser, harness.tributary, '/log?kind=sign_in&reason=access_denied')
    await page.getByText('Nothing is logged that matches.').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.waitForURL(/live=1/)
    await walk(harness.startUrl('demo-social'), { person: 'ada', decision: 'deny' })
    await page.getByRole('link', { name: 'access_denied' }).waitFor()
    await page.close()
  })

  test('an operation that does not exist is explained', async () => {
    const { page } = await openDashboard(browser, harness.tributary, '/log/op_nothing')
    await page.getByText('The log has no such operation.').waitFor()
    await page.getByRole('link', { name: 'Whole log' }).click()
    await page.locator('tbody tr').first().waitFor()
    await page.close()
  })
})
