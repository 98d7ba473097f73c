import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type LabHarness, startLabHarness } from '../harness/lab.ts'
import { signIn } from '../harness/sign-in.ts'
import { synced } from '../harness/sync.ts'
import { until } from '../harness/until.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { openDashboard } from './dashboard.ts'

const skip = await browserMissing()

suite('the overview in the dashboard', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  before(async () => {
    harness = await startLabHarness()
    const { access_token: token } = await signIn(harness, 'demo-social', 'ada')
    await synced(harness, token, 'demo-social')
    const { account } = await signIn(harness, 'demo-health', 'ben')
    await harness.sql(`update profile set state = 'needs_auth' where account_id = $1`, [account])
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  test('shows what requires attention, leads there, and refreshes itself', async () => {
    const watched = await openDashboard(browser, harness.tributary)
    const { page } = watched
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/admin/overview')) requests += 1
    })
    await page.getByText('1 person must sign in at demo-health again.').first().waitFor()
    await page.getByRole('img', { name: /^Items per hour in the last 24 hours: [1-9]/ }).waitFor()
    await page.getByText('demo-social', { exact: true }).first().waitFor()
    await watched.assertClean('overview')
    await page.getByRole('link', { name: /^Accounts ?: 1 person must sign in/ }).click()
    await page.waitForURL(/\/accounts\?.*state=needs_auth/)
    await page.getByText('1 account match').waitFor()
    await page.goBack()
    await page.getByText('1 person must sign in at demo-health again.').first().waitFor()
    await until(
      'the page asks again by itself',
      () => requests,
      (n) => n >= 2,
    )
    await page.close()
  })

  test('keeps app and period in the address', async () => {
    const { page } = await openDashboard(browser, harness.tributary)
    await page.getByRole('button', { name: 'This app' }).click()
    await page.waitForURL(/scope=app/)
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByRole('img', { name: /in the last seven days/ }).waitFor()
    await page.reload()
    await page.getByRole('img', { name: /in the last seven days/ }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Health' }).count(), 0, 'an app has no worker processes')
    await page.goBack()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    await page.close()
  })
})
