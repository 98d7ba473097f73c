import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type App, makeApp } from '../harness/app.ts'
import { putItems } from '../harness/own-items.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { startTributary, type Tributary } from '../harness/start.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { openDashboard } from './dashboard.ts'
import type { WatchedPage } from './watched-page.ts'

const skip = await browserMissing()

interface Described {
  paths: Record<string, { get: { parameters: { in: string; name: string }[] } }>
}

suite('the items explorer', { skip }, () => {
  let tributary: Tributary
  let browser: RunningBrowser
  let watched: WatchedPage
  let app: App
  let ada: Person
  before(async () => {
    tributary = await startTributary()
    app = await makeApp(tributary, { name: 'Explorer' })
    ada = await newPerson(tributary.store, app.clientId)
    const items = Array.from({ length: 25 }, (_, n) => ({
      id: `note-${n}`,
      at: 1_700_000_000_000 + n * 60_000,
      type: n % 5 === 0 ? 'checkins' : 'statuses',
      title: n === 7 ? 'A walrus on the beach' : `Note number ${n}`,
      text: n === 7 ? 'A walrus on the beach' : `Text ${n}`,
      lat: 48 + n / 10,
      lng: 11,
    }))
    await putItems(tributary, ada, items, 'notes')
    browser = await openBrowser()
    watched = await openDashboard(browser, tributary, `/items?app=${app.clientId}`)
  })
  after(async () => {
    await browser.close()
    await tributary.stop()
  })

  const at = () => new URL(watched.page.url())
  const texts = () => watched.page.locator('.items-open').allInnerTexts()

  test('choose an account, search in its items, and share the address', async () => {
    const { page } = watched
    await page.getByLabel('Search accounts').fill(ada.account.id)
    await page.getByRole('button', { name: new RegExp(ada.account.id) }).click()
    await page.getByRole('button', { name: /Note number 24/ }).waitFor()
    assert.equal((await texts()).length, 20)
    // Without Enter: what is typed acts.
    await page.getByLabel('q', { exact: true }).fill('walrus')
    await page.getByText('Note number 24').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /walrus/ }).waitFor()
    assert.deepEqual([at().searchParams.get('account'), at().searchParams.get('q')], [ada.account.id, 'walrus'])
    await page.reload()
    await page.getByRole('button', { name: /walrus/ }).waitFor()
    assert.equal(await page.getByLabel('q', { exact: true }).inputValue(), 'walrus')
    await page.goBack()
    await page.getByRole('button', { name: /Note number 24/ }).waitFor()
  })

  test('pages follow the Link header, and Back returns', async () => {
    const { page } = watched
    await page.getByText('More parameters').click()
    // It is checked when the address has it, a moment after the click.
    await page.getByLabel('count', { exact: true }).click()
    await page.getByText('25 items match.').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('button', { name: /Note number 0/ }).waitFor()
    assert.ok(at().searchParams.has('before'))
    assert.equal((await texts()).length, 5)
    await page.goBack()
    await page.getByRole('button', { name: /Note number 24/ }).waitFor()
  })

  test('every view shows them; the request is shown as URL, curl and SDK', async () => {
    const { page } = watched
    await watched.assertClean('grid')
    await page.getByRole('button', { name: 'List', exact: true }).click()
    await page.getByRole('group', { name: 'Items' }).waitFor()
    await watched.assertClean('list')
    await page.getByRole('button', { name: 'Map', exact: true }).click()
    await page.getByText(/of 20 items of this page have a place/).waitFor()
    await watched.assertClean('map')
    await page.getByRole('button', { name: 'SDK', exact: true }).click()
    await page.getByText('account.items("all"').waitFor()
    await page.getByRole('button', { name: 'URL', exact: true }).click()
    await page.getByText(`${tributary.url}/types/all?count=true`).waitFor()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByText('"note-24"').first().waitFor()
    await watched.assertClean('JSON')
    assert.equal(at().searchParams.get('view'), 'json')
  })

  test('an item opens by its id, and an endpoint by its name', async () => {
    const { page } = watched
    await page.getByRole('button', { name: 'Grid', exact: true }).click()
    await page.getByRole('button', { name: /Note number 24/ }).click()
    await page.getByText('note-24').first().waitFor()
    assert.equal(at().searchParams.get('by'), 'id')
    await page.getByRole('button', { name: 'Endpoint', exact: true }).click()
    await page.getByText('Enter service and endpoint.').waitFor()
    await page.getByLabel('service', { exact: true }).fill('self')
    await page.getByLabel('endpoint', { exact: true }).fill('notes')
    await page.getByText('note-20').first().waitFor()
  })

  test('every parameter of the API has a control', async () => {
    const { page } = watched
    const { paths } = (await (await fetch(`${tributary.url}/openapi.json`)).json()) as Described
    for (const [by, path] of [
      ['type', '/types/{type}'],
      ['endpoint', '/services/{service}/{endpoint}'],
      ['id', '/id/{id}'],
    ] as const) {
      await page.goto(`${tributary.url}/dashboard/items?app=${app.clientId}&by=${by}`)
      await page.getByRole('form', { name: 'Parameters' }).waitFor()
      const wanted = paths[path]!.get.parameters.filter((each) => each.in !== 'header').map(({ name }) => name)
      assert.ok(wanted.length > 4)
      for (const name of wanted)
        assert.equal(await page.getByLabel(name, { exact: true }).count(), 1, `${path} ${name}`)
    }
  })
})
