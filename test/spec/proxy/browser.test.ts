import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { browserMissing, openBrowser, type RunningBrowser } from '../../real/browser.ts'
import { type ProxyHarness, startProxyHarness } from './fixture.ts'
import { type RawUpstream, startRawUpstream } from './raw-upstream.ts'

const skip = await browserMissing()

suite('S41 a proxied response opened in a browser at our address', { skip }, () => {
  let browser: RunningBrowser
  let upstream: RawUpstream
  let harness: ProxyHarness
  let token: string
  before(async () => {
    upstream = await startRawUpstream()
    harness = await startProxyHarness()
    token = (await harness.connect({ apiUrl: upstream.url })).token
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await harness.stop()
    await upstream.close()
  })
  beforeEach(() => {
    upstream.requests.length = 0
  })

  const serve = (type: string, body: string, ...headers: string[]) => {
    upstream.response = `${['HTTP/1.1 200 OK', `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers].join('\r\n')}\r\n\r\n${body}`
  }
  const at = (path: string) => `${harness.url}/proxy/plain${path}?access_token=${token}`
  const scripts = () => `
    <script>document.title = 'ran'; fetch('${at('/from-script')}')</script>
    <script src="${at('/script.js')}"></script>
    <img src=x onerror="document.title = 'ran'">
    <meta http-equiv="refresh" content="0; url=${at('/from-refresh')}">
    <iframe src="${at('/from-frame')}"></iframe>
    <svg onload="document.title = 'ran'"></svg>`

  for (const [type, body] of Object.entries({
    'text/html': () => `<!doctype html><title>still</title><p>hello</p>${scripts()}`,
    'application/xhtml+xml': () =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>still</title></head><body><p>hello</p><script>document.title = 'ran'; fetch('${at('/from-script')}')</script></body></html>`,
    'image/svg+xml': () =>
      `<svg xmlns="http://www.w3.org/2000/svg"><title>still</title><text>hello</text><script>document.title = 'ran'; fetch('${at('/from-script')}')</script></svg>`,
  }))
    test(`${type}: runs nothing, fetches nothing, and can neither set nor read a cookie`, async () => {
      serve(type, body(), 'Set-Cookie: theirs=1; Path=/', "Content-Security-Policy: script-src * 'unsafe-inline'")
      const page = await browser.page()
      const response = await page.goto(at('/page'))
      assert.match(response?.headers()['content-type'] ?? '', new RegExp(type.replace('+', String.raw`\+`)))
      // A wrong response has this time to run its script; a correct one does not depend on it.
      await sleep(500)
      const content = await page.content()
      assert.match(content, /hello/)
      assert.equal(await page.title(), 'still')
      const paths = upstream.requests.map((request) => request.split(/[ ?]/)[1])
      assert.deepEqual(paths, ['/page'])
      // A page of ours sees no cookie of the service.
      await page.goto(`${harness.url}/docs`)
      assert.equal(await page.evaluate<string>('document.cookie'), '')
      await page.close()
    })

  test('cannot be loaded as a script or service worker by a page of our origin', async () => {
    serve('text/javascript', "document.title = 'ran'")
    const page = await browser.page()
    await page.goto(`${harness.url}/docs`)
    const title = await page.title()
    const registered = await page.evaluate<string>(
      `navigator.serviceWorker.register(${JSON.stringify(at('/sw.js'))}).then(() => 'registered', () => 'refused')`,
    )
    assert.equal(registered, 'refused')
    await page.evaluate(
      `new Promise((resolve) => { const s = document.createElement('script'); s.src = ${JSON.stringify(at('/script.js'))}; s.onload = s.onerror = resolve; document.head.append(s) })`,
    )
    assert.equal(await page.title(), title)
    await page.close()
  })

  test('can be read by a page of any origin, by our own CORS headers alone', async () => {
    serve('application/json', '{"a":1}', 'X-Page: 7')
    const page = await browser.page()
    // The service's own address is another origin.
    await page.goto(`${upstream.url}/elsewhere`)
    const read = await page.evaluate<string>(
      `fetch(${JSON.stringify(`${harness.url}/proxy/plain/data`)}, { headers: { authorization: 'Bearer ${token}', 'x-custom': '1' } })
        .then(async (answer) => [answer.headers.get('x-page'), answer.headers.get('x-tributary-retried'), await answer.text()].join())`,
    )
    assert.equal(read, '7,false,{"a":1}')
    await page.close()
  })
})
