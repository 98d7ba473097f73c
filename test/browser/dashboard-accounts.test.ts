import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { holdTable } from '../harness/database/hold-table.ts'
import { type LabHarness, startLabHarness } from '../harness/lab.ts'
import { signIn } from '../harness/sign-in.ts'
import { synced } from '../harness/sync.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { openDashboard } from './dashboard.ts'
import { shown } from './shown.ts'

const skip = await browserMissing()

suite('accounts in the dashboard', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  before(async () => {
    harness = await startLabHarness()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })
  const open = (path: string) => openDashboard(browser, harness.tributary, `${path}?app=${harness.app.clientId}`)
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  test('a person is found by name, and the first sync moves without a reload', async () => {
    const held = await holdTable(harness.tributary.databaseUrl, 'item')
    const { account, access_token: token } = await signIn(harness, 'demo-social', 'ada')
    const watched = await open('/accounts')
    const { page } = watched
    await page.getByLabel('Search').fill('ada')
    await page.waitForURL(/q=ada/)
    await page.getByRole('link', { name: new RegExp(account) }).click()
    await page.waitForURL(new RegExp(`/accounts/${account}`))
    const bars = page.getByRole('progressbar')
    await bars.first().waitFor()
    await held.awaited()
    await held.release()
    await synced(harness, token, 'demo-social')
    await bars.first().waitFor({ state: 'detached' })
    await page.getByText('done', { exact: true }).nth(2).waitFor()
    await watched.assertClean('account')
    await page.reload()
    await page.getByRole('heading', { name: /^demo-social/ }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: new RegExp(account) }).waitFor()
    assert.equal(await page.getByLabel('Search').inputValue(), 'ada', 'the search is in the address')
    await watched.assertClean('accounts')
    await page.close()
  })

  test('syncs are requested, paused, resumed and reset, and a reconnect link is made', async () => {
    const { account, access_token: token } = await signIn(harness, 'demo-micro', 'ada')
    await synced(harness, token, 'demo-micro', { endpoints: ['statuses'] })
    const { page } = await open(`/accounts/${account}`)
    await press(page, 'Pause')
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Sync now' }).isDisabled())
    await press(page, 'Resume')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await press(page, 'Reset')
    await page.locator('dialog button.danger').click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await press(page, 'Sync now')
    await press(page, 'Reconnect link')
    await page.getByText(/\/oauth\/reconnect\?/).waitFor()
    const actors = await harness.sql<{ actor: string }>(
      `select distinct actor from audit where action in ('profile.pause', 'profile.resume')`,
    )
    assert.match(JSON.stringify(actors), /^\[\{"actor":"operator:op_\w+"\}\]$/, 'the operator is the actor')
    await press(page, 'Disconnect')
    await page.locator('dialog input').fill('demo-micro')
    await page.locator('dialog button.danger').click()
    await page.getByText('No service is connected.').waitFor()
    await page.close()
  })

  test('an export is saved as a file while the page stays, again with a second click, and a used link is explained', async () => {
    const { account, access_token: token } = await signIn(harness, 'demo-social', 'ada')
    await synced(harness, token, 'demo-social')
    const { page } = await open(`/accounts/${account}`)
    await page.getByRole('heading', { name: /^demo-social/ }).waitFor()
    const shownAt = page.url()
    for (const click of [1, 2]) {
      const saving = page.waitForEvent('download')
      await press(page, 'Export')
      const saved = await saving
      assert.equal(saved.suggestedFilename(), `account-${account}.ndjson`)
      const [head = '', ...items] = readFileSync(await saved.path(), 'utf8')
        .trimEnd()
        .split('\n')
      assert.equal((JSON.parse(head) as { account: string }).account, account)
      const [stored] = await harness.sql<{ n: number }>(
        'select count(*)::int as n from item i join profile p on p.shard = i.shard and p.id = i.profile_id where p.account_id = $1',
        [account],
      )
      assert.deepEqual([items.length, items.length > 10], [stored!.n, true])
      assert.equal(page.url(), shownAt)
      if (click === 1) continue
      await page.goto(saved.url())
      await page.getByText('Export again in the dashboard').waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: /^demo-social/ }).waitFor()
    }
    await page.close()
  })

  test('an account is erased after its id was typed, and Back does not show it', async () => {
    const { account } = await signIn(harness, 'demo-health', 'ben')
    const { page } = await open('/accounts')
    await page.getByRole('link', { name: new RegExp(account) }).click()
    await press(page, 'Erase')
    const confirm = page.locator('dialog button.danger')
    await page.locator('dialog input').fill('something else')
    assert.ok(await confirm.isDisabled())
    await press(page, 'Cancel')
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Erase', 'the focus returns to the button')
    await page.keyboard.press('Enter')
    await page.locator('dialog input').fill(account)
    await confirm.click()
    await page.getByText(/is erased/).waitFor()
    assert.equal((await harness.sql('select 1 from account where id = $1', [account])).length, 0)
    await page.goBack()
    await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor()
    await shown(page.getByRole('link', { name: new RegExp(account) }), 0)
    await page.close()
  })

  test('accounts are filtered by state, and the records that could not be stored are read again', async () => {
    const { account } = await signIn(harness, 'demo-social', 'ben')
    await harness.sql(`update profile set state = 'needs_auth' where account_id = $1`, [account])
    const watched = await open('/accounts')
    const { page } = watched
    await page.getByLabel('State').selectOption('needs_auth')
    await page.waitForURL(/state=needs_auth/)
    await page.getByText('1 account match').waitFor()
    await page.getByRole('link', { name: new RegExp(account) }).waitFor()
    await page.goBack()
    await page.getByText(/\d accounts?$/).waitFor()
    await page.getByRole('link', { name: 'Faults and quarantine' }).click()
    await page.getByText('The quarantine is empty.').waitFor()
    await press(page, 'Read all of them again')
    await page.getByText(/The next run of 0 endpoints/).waitFor()
    await watched.assertClean('faults')
    await page.close()
  })

  test('the catalogue finds a service, and shows the address to enter there', async () => {
    const watched = await open('/services')
    const { page } = watched
    await page.getByLabel('Search').fill('demo social')
    await page.getByText('1 of', { exact: false }).waitFor()
    await page.getByText(`${harness.tributary.url}/auth/demo-social/callback`).first().waitFor()
    await page.getByText('has keys', { exact: true }).waitFor()
    await watched.assertClean('a service')
    await page.getByLabel('Search').fill('')
    await page.getByText(/^\d+ services$/).waitFor()
    await page.reload()
    await page.getByText(/^\d+ services$/).waitFor()
    await watched.assertClean('services')
    await page.close()
  })
})
