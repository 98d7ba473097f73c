import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { browserMissing, openBrowser, type RunningBrowser } from '../browser.ts'
import { startOidcProvider } from '../oidc-provider.ts'

const html = `<!doctype html><title>Count</title><button>Add</button><output>0</output>
<script>
  const output = document.querySelector('output')
  document.querySelector('button').addEventListener('click', () => { output.textContent = Number(output.textContent) + 1 })
  document.cookie = 'seen=' + (document.cookie.includes('seen') ? 'again' : 'first')
</script>`

const skip = await browserMissing()

suite('browser', () => {
  let browser: RunningBrowser
  let server: Server
  let url: string
  if (skip === false) {
    before(async () => {
      server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      browser = await openBrowser()
    })
    after(async () => {
      await browser.close()
      server.closeAllConnections()
      server.close()
    })
  }

  test('runs scripts, finds elements by role, and takes screenshots', { skip }, async () => {
    const page = await browser.page()
    await page.goto(url)
    await page.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: 'Add' }).click()
    assert.equal(await page.locator('output').textContent(), '2')
    const picture = await page.screenshot()
    assert.equal(picture.subarray(1, 4).toString(), 'PNG')
  })

  test('every page has its own cookies', { skip }, async () => {
    const first = await browser.page()
    await first.goto(url)
    await first.reload()
    const second = await browser.page()
    await second.goto(url)
    assert.deepEqual(
      [await first.evaluate<string>('document.cookie'), await second.evaluate<string>('document.cookie')],
      ['seen=again', 'seen=first'],
    )
  })

  test('a person signs in at a real authorization server', { skip }, async (t) => {
    const oidc = await startOidcProvider({ redirectUris: [url], requirePkce: false })
    t.after(() => oidc.close())
    const page = await browser.page()
    const params = { client_id: oidc.clientId, redirect_uri: url, response_type: 'code', scope: 'openid', state: 's1' }
    await page.goto(`${oidc.authorizeUrl}?${new URLSearchParams(params).toString()}`)
    await page.locator('input[name=login]').fill('maya')
    await page.locator('input[name=password]').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL((address) => address.href.startsWith(url))
    assert.equal(new URL(page.url()).searchParams.get('state'), 's1')
  })
})
