import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../harness/lab.ts'
import { browserMissing, openBrowser, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'
import { builtWeb } from './built-web.ts'
import { openDashboard } from './dashboard.ts'

const skip = await browserMissing()
const dist = join(import.meta.dirname, '../../web/dist')
/** Limit: bytes that a browser receives for the first page, compressed. */
const MAX_FIRST_LOAD_BYTES = 200_000

suite('the dashboard', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  before(async () => {
    await builtWeb()
    harness = await startQuietHarness()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  test('shows the overview, after a reload too, without findings', async () => {
    const watched = await openDashboard(browser, harness.tributary)
    const { page } = watched
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await watched.assertClean('overview')
    await page.close()
  })

  test('says so at an unknown address, with a way on', async () => {
    const { page } = await openDashboard(browser, harness.tributary, '/nowhere')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.close()
  })

  test('runs only its own files: exact paths, nothing inline, trusted types', async () => {
    const response = await fetch(`${harness.tributary.url}/dashboard/anything`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /script-src [\w.:]+\/web\/assets\/( [\w.:]+\/web\/assets\/)?;/)
    assert.match(policy, /require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|script-src 'self'/)
    const text = await response.text()
    assert.doesNotMatch(text, /<script(?![^>]* src="\/web\/assets\/)|<style| style=/)
  })

  test('serves files compressed and unchangeable, and nothing outside its folder', async () => {
    const { url } = harness.tributary
    const [file] = globSync('assets/dashboard-*.js', { cwd: dist })
    const response = await fetch(`${url}/web/${file}`, { headers: { 'accept-encoding': 'br' } })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-encoding'), 'br')
    assert.match(response.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(await response.text(), readFileSync(join(dist, file!), 'utf8'))
    const plain = await fetch(`${url}/web/${file}`, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.headers.get('content-encoding'), null)
    for (const path of ['..%2f..%2fpackage.json', '.built-from', `${file!.slice(7)}.br`, 'x.js'])
      assert.equal((await fetch(`${url}/web/assets/${path}`)).status, 404, path)
  })

  for (const name of ['dashboard', 'demo'])
    test(`loads less than ${MAX_FIRST_LOAD_BYTES} bytes for the first page: ${name}`, () => {
      const page = readFileSync(join(dist, `${name}.html`), 'utf8')
      const files = [...page.matchAll(/"\/web\/(assets\/[^"]+)"/g)].map(([, file]) => file!)
      const bytes = files.map((file) => statSync(join(dist, `${file}.gz`)).size).reduce((a, b) => a + b)
      assert.ok(files.length > 1 && bytes < MAX_FIRST_LOAD_BYTES, `${bytes} bytes`)
    })
})
