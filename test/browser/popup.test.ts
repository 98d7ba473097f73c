import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createClient, type StartedConnect } from '../../sdk/src/index.ts'
import type { LabHarness } from '../harness/lab.ts'
import { until } from '../harness/until.ts'
import { browserMissing, openBrowser, type Page, type RunningBrowser } from '../real/browser.ts'
import { startQuietHarness } from '../spec/sign-in/fixture.ts'

const skip = await browserMissing()
const root = join(import.meta.dirname, '../..')
/** The page of the app, with the example of the README. It keeps what `openConnect` gave. */
const APP = `<!doctype html><title>App</title><button>Connect</button><pre></pre><script type="module">
import { connect } from '/popup.js'
const show = (outcome) => { document.querySelector('pre').textContent = JSON.stringify(outcome) }
document.querySelector('button').onclick = () => {
  show('waiting')
  connect().then(async (response) => show({ account: await response.text() }), ({ reason, url }) => show({ reason, url }))
}
</script>`
const BACK = `<!doctype html><title>Back</title><pre></pre><script type="module">
import { complete } from '/back.js'
const result = await complete()
document.querySelector('pre').textContent = JSON.stringify({ ...result, search: location.search, hash: location.hash })
</script>`

suite('a sign-in in a popup, with the built helper', { skip }, () => {
  let harness: LabHarness
  let browser: RunningBrowser
  let app: Server
  let origin: string
  let otherOrigin: string
  let client: ReturnType<typeof createClient>
  let started: StartedConnect
  /** Where the next sign-in begins. */
  let url = ''
  const finished: string[] = []
  const staged = mkdtempSync(join(tmpdir(), 'tributary-helper-'))

  before(async () => {
    execFileSync(process.execPath, [join(root, 'sdk/scripts/build.mjs'), staged])
    const helper = readFileSync(join(staged, 'dist/esm/browser.js'), 'utf8')
    const readme = readFileSync(join(root, 'sdk/README.md'), 'utf8')
    const example = (name: string) => {
      const text = readme.split(`\`\`\`ts\n// ${name}.ts\n`)[1]!.split('```')[0]!
      return stripTypeScriptTypes(text).replace('@tributary-hub/client/browser', '/helper.js')
    }
    const files: Record<string, [type: string, text: string, headers?: Record<string, string>]> = {
      '/': ['text/html', APP],
      '/back': ['text/html', BACK],
      '/helper.js': ['text/javascript', helper],
      '/popup.js': ['text/javascript', example('popup')],
      '/back.js': ['text/javascript', example('back')],
      '/blank': ['text/html', '<!doctype html><title>Blank</title>'],
      '/cut': ['text/html', '<!doctype html><title>Cut</title>', { 'cross-origin-opener-policy': 'same-origin' }],
    }
    app = createServer((request, response) => {
      const path = new URL(request.url!, 'http://x').pathname
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        if (path === '/connect') return response.end(url)
        if (path === '/finish') {
          finished.push(body)
          return response.end('finished')
        }
        const [type, text, headers = {}] = files[path] ?? ['text/plain', '']
        return response.writeHead(200, { 'content-type': type, ...headers }).end(text)
      })
    })
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    const { port } = app.address() as AddressInfo
    origin = `http://localhost:${port}`
    otherOrigin = `http://127.0.0.1:${port}`
    harness = await startQuietHarness()
    browser = await openBrowser()
    const { clientId, secret } = harness.app
    client = createClient({ baseUrl: harness.tributary.url, clientId, clientSecret: secret })
  })
  after(async () => {
    await browser.close()
    app.closeAllConnections()
    app.close()
    rmSync(staged, { recursive: true })
    await harness.stop()
  })

  const begin = async () => {
    started = await client.startConnect({ service: 'demo-social', redirect_uri: `${origin}/back` })
    url = started.url
  }
  const shown = async (page: Page) => JSON.parse((await page.locator('pre').textContent()) || '"waiting"') as unknown
  const outcome = (page: Page) =>
    until(
      'the sign-in has ended',
      () => shown(page),
      (value) => value !== 'waiting',
    )
  const openPage = async (init?: string) => {
    const page = await browser.page()
    if (init !== undefined) await page.addInitScript({ content: init })
    await page.goto(origin)
    return page
  }
  const clickConnect = async (page: Page) => {
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Connect' }).click()
    return popup
  }

  test('the app gets the code, the window closes, and the code is exchanged', async () => {
    await begin()
    const page = await openPage()
    const popup = await clickConnect(page)
    await popup.getByRole('button', { name: 'Log in as Ada' }).click()
    await popup.getByRole('button', { name: 'Allow' }).click()
    assert.deepEqual(await outcome(page), { account: 'finished' })
    await until('the window is closed', () => popup.isClosed())
    const fields = new URLSearchParams(finished.at(-1))
    assert.equal(fields.get('state'), started.state)
    const { verifier, redirect_uri } = started
    const granted = await client.exchange({ code: fields.get('code')!, code_verifier: verifier, redirect_uri })
    assert.equal((await client.account(granted.access_token).person()).name, 'Ada Marlowe')
    await page.close()
  })

  test('a person who declines, or closes the window, gives a reason', async () => {
    await begin()
    const page = await openPage()
    const popup = await clickConnect(page)
    await popup.getByRole('button', { name: 'Log in as Ada' }).click()
    await popup.getByRole('button', { name: 'Deny' }).click()
    assert.deepEqual(await outcome(page), { reason: 'access_denied' })
    await begin()
    const second = await clickConnect(page)
    await second.getByRole('button', { name: 'Allow' }).waitFor()
    await second.close()
    assert.deepEqual(await outcome(page), { reason: 'closed' })
    await page.close()
  })

  test('a blocked window is reported with its address, and the whole page can go there', async () => {
    await begin()
    const page = await openPage('window.open = () => null')
    await page.getByRole('button', { name: 'Connect' }).click()
    assert.deepEqual(await outcome(page), { reason: 'blocked', url })
    await page.goto(url)
    await page.getByRole('button', { name: 'Log in as Ada' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL((each) => each.href.startsWith(`${origin}/back`))
    const result = (await outcome(page)) as Record<string, unknown>
    assert.equal(result['isPopup'], false)
    assert.equal(result['state'], started.state)
    assert.equal(typeof result['code'], 'string')
    assert.deepEqual([result['search'], result['hash']], ['', ''], 'the address has no code any more')
    await page.close()
  })

  test('messages of another origin, window or sign-in do not count', async () => {
    const state = 'the-state'
    const query = new URLSearchParams({ state, redirect_uri: `${origin}/back` }).toString()
    url = `${otherOrigin}/blank?${query}`
    const before = finished.length
    const page = await openPage()
    const popup = await clickConnect(page)
    await popup.waitForURL((each) => each.pathname === '/blank')
    const forged = `{ type: 'tributary:connect', result: { code: 'forged', state: '${state}' } }`
    await popup.evaluate(`void window.opener.postMessage(${forged}, '*')`)
    await page.evaluate(`void window.postMessage(${forged}, '*')`)
    for (const message of [
      'null',
      '{}',
      "{ type: 'tributary:connect' }",
      "{ type: 'tributary:connect', result: null }",
    ])
      await page.evaluate(`void window.postMessage(${message}, '*')`)
    await page.evaluate(
      `new Promise((resolve) => { const channel = new BroadcastChannel('tributary:connect'); channel.postMessage({ type: 'tributary:connect', result: { code: 'forged', state: 'another' } }); setTimeout(() => { channel.close(); resolve() }, 50) })`,
    )
    assert.equal(await shown(page), 'waiting')
    await popup.goto(`${origin}/back?code=right&state=${state}`)
    assert.deepEqual(await outcome(page), { account: 'finished' })
    assert.deepEqual(finished.slice(before), [`code=right&state=${state}`])
    await page.close()
  })

  test('a window whose link to the app was cut still tells it', async () => {
    url = `${origin}/cut?state=cut&redirect_uri=${encodeURIComponent(`${origin}/back`)}`
    // The tests' browser says of every page that it has the focus; a real one says so only of the popup.
    const page = await openPage('document.hasFocus = () => false')
    const popup = await clickConnect(page)
    await popup.waitForURL((each) => each.pathname === '/cut')
    assert.equal(await popup.evaluate('window.opener'), null)
    await popup.goto(`${origin}/back?code=late&state=cut`)
    assert.deepEqual(await outcome(page), { account: 'finished' })
    assert.equal(finished.at(-1), 'code=late&state=cut')
    await page.close()
  })

  test('the redirect page tells its result to no other origin', async () => {
    const page = await browser.page()
    await page.goto(`${otherOrigin}/blank`)
    await page.evaluate("void (window.heard = 0, window.addEventListener('message', () => { window.heard += 1 }))")
    const opened = page.waitForEvent('popup')
    await page.evaluate(`void window.open('${origin}/back?code=secret&state=s')`)
    const popup = await opened
    const result = (await outcome(popup)) as Record<string, unknown>
    assert.deepEqual([result['isPopup'], result['code']], [false, 'secret'], 'nobody took it')
    assert.equal(await page.evaluate('window.heard'), 0)
    await popup.close()
    await page.close()
  })
})
