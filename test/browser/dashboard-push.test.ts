import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type ClientDatabase, clientDatabase } from '../harness/database/client-database.ts'
import { until } from '../harness/until.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { type PushHarness, startPushHarness, type Tenant } from '../spec/push/fixture.ts'
import { openDashboard } from './dashboard.ts'
import type { WatchedPage } from './watched-page.ts'

const skip = await browserMissing()

suite('the pages of push', { skip }, () => {
  let harness: PushHarness
  let theirs: ClientDatabase
  let app: Tenant
  let browser: RunningBrowser
  let watched: WatchedPage
  before(async () => {
    harness = await startPushHarness()
    theirs = await clientDatabase()
    app = await harness.newTenant()
    await harness.put(await app.newPerson(), [
      { id: 'a', title: 'First' },
      { id: 'b', title: 'Second' },
    ])
    browser = await openBrowser()
    watched = await openDashboard(browser, harness.tributary, `/push?app=${app.clientId}`, [/status of 40[049]/])
  })
  after(async () => {
    await browser.close()
    await harness.stop()
    await theirs.drop()
  })

  const at = () => new URL(watched.page.url())

  test('the wizard: rights, a wrong user, corrected, a preview, started', async () => {
    const { page } = watched
    await page.getByText('No destination yet.').waitFor()
    await page.getByRole('link', { name: 'Add a destination' }).click()
    await page.getByText('The role and its rights').click()
    await page.getByText('create schema if not exists tributary').waitFor()
    const wrong = new URL(theirs.url)
    wrong.username = 'nobody_here'
    wrong.password = 'wrong-secret-word'
    await page.getByLabel('Address', { exact: true }).fill(wrong.href)
    await page.getByRole('button', { name: 'Test before start' }).click()
    await page.getByText('It does not work yet.').waitFor()
    await page.getByText('The user or the password is wrong.').waitFor()
    await watched.assertClean('wizard, failed test')
    await page.getByLabel('Address', { exact: true }).fill(theirs.url)
    await page.getByRole('button', { name: 'Test before start' }).click()
    await page.getByText('It works.').waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('2 items').first().waitFor()
    await page.getByText('tributary_items').waitFor()
    await page.getByText('Options of PostgreSQL').click()
    await page.getByLabel('Option: schema').fill('Not A Schema')
    await page.getByRole('button', { name: 'Test before start' }).click()
    await page
      .getByText(/^Options schema /)
      .first()
      .waitFor()
    await page.getByLabel('Option: schema').fill('from_wizard')
    await page.getByLabel('Option: deletes').selectOption('hard')
    await page.getByLabel('Option: quiet hours').waitFor()
    await page.waitForURL(/option\.deletes=hard/)
    await page.getByText('create schema if not exists from_wizard').waitFor()
    await page.getByLabel('Option: schema').fill('')
    await page.getByLabel('Name').focus()
    // Letter by letter, faster than the router renders the addresses that they lead to.
    await page.evaluate(`for (const letter of 'Warehouse') document.execCommand('insertText', false, letter)`)
    assert.equal(await page.getByLabel('Name').inputValue(), 'Warehouse')
    assert.doesNotMatch(page.url(), /wrong-secret-word|sslmode/)
    await watched.assertClean('wizard')
    await page.getByRole('button', { name: 'Start delivering' }).click()
    await page.getByRole('heading', { name: 'Warehouse' }).waitFor()
    const [made] = (await app.ask('GET', '/push')).body as unknown as { id: string; options: object }[]
    assert.deepEqual(made!.options, { deletes: 'hard' })
    await app.caughtUp(made!)
    assert.deepEqual(await theirs.live(), ['a', 'b'])
    assert.equal(at().pathname, `/dashboard/push/${made!.id}`)
    await page.reload()
    await page.getByRole('heading', { name: 'Warehouse' }).waitFor()
  })

  test('state, lag and deliveries; pause and resume', async () => {
    const { page } = watched
    await page.getByRole('img', { name: /Lag over time/ }).waitFor()
    await watched.assertClean('destination')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Resumed.').waitFor()
    await page.getByRole('button', { name: 'Deliveries' }).click()
    await page.getByText('delivered', { exact: true }).first().waitFor()
    await watched.assertClean('deliveries')
    await page.goBack()
    await page.getByRole('img', { name: /Lag over time/ }).waitFor()
  })

  test('verify finds a difference and repairs it', async () => {
    const { page } = watched
    await theirs.sql("delete from tributary_items where native_id = 'a'")
    await page.getByRole('button', { name: 'Replay and verify' }).click()
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await page.getByText('1 rows differ.').waitFor()
    await page.getByRole('button', { name: 'Repair 1 differences' }).click()
    await page.getByText('profiles are delivered again').waitFor()
    await harness.idle()
    assert.deepEqual(await theirs.live(), ['a', 'b'])
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('The changes since then are delivered again.').waitFor()
    await watched.assertClean('repair')
  })

  test('dead letters are grouped by reason and tried again', async () => {
    const { page } = watched
    await theirs.sql('alter table tributary_items add constraint short check (length(native_id) < 4)')
    const person = await app.newPerson()
    await harness.put(person, [{ id: 'too-long' }])
    const [warehouse] = (await app.ask('GET', '/push')).body as unknown as { id: string }[]
    // On a busy machine the first attempt may time out, and the next one comes later.
    await until('the row is rejected', async () => (await app.show(warehouse!)).dead_letters === 1)
    await page.getByRole('button', { name: 'Dead letters' }).click()
    await page
      .getByText(/violates check constraint/)
      .first()
      .click()
    await watched.assertClean('dead letters')
    await theirs.sql('alter table tributary_items drop constraint short')
    await page.getByRole('button', { name: 'Try all again' }).click()
    await page.getByRole('dialog').getByText('1 rows are delivered again').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Try all again' }).click()
    await page.getByText('They are tried again.').waitFor()
    await page.getByText('0 rows were rejected').waitFor()
    assert.deepEqual(await theirs.live(), ['a', 'b', 'too-long'])
  })

  test('a name that is in use is refused with a reason; delete by typing the name', async () => {
    const { page } = watched
    await page.goto(`${harness.tributary.url}/dashboard/push/new?app=${app.clientId}&kind=webhook&name=Warehouse`)
    await page.getByLabel('Address', { exact: true }).fill('https://app.test/hook')
    await page.getByRole('button', { name: 'Start delivering' }).click()
    await page.getByText('The app already has a destination').waitFor()
    await page.getByLabel('Name').fill('Hook')
    await page.getByRole('button', { name: 'Start delivering' }).click()
    await page.getByText('Signing secret.').waitFor()
    await page.getByRole('button', { name: 'Go to the destination' }).click()
    await page.getByRole('heading', { name: 'Hook' }).waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByText('The new signing secret.').waitFor()
    await watched.assertClean('settings')
    await page.getByRole('button', { name: 'Delete the destination' }).click()
    await page.getByLabel('Type Hook to confirm').fill('Hook')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the destination' }).click()
    await page.getByRole('link', { name: 'Warehouse' }).waitFor()
    await watched.assertClean('destinations')
  })
})
