import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createBrowser } from '../../../lab/browser.ts'
import type { LabHarness } from '../../harness/lab.ts'
import { REDIRECT, walk, withoutDescription } from '../../harness/sign-in.ts'
import { startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

async function stopBeforeCallback() {
  const { callback } = harness.app.keys['demo-micro']!
  let holding = true
  const browser = createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) || (holding && url.startsWith(callback)) })
  const page = await browser.walk(harness.startUrl('demo-micro', { state: 's' }), { person: 'ada' })
  holding = false
  return { browser, url: new URL(page.url) }
}
const accessTokens = () => harness.lab.services['demo-micro'].requests.count('/oauth/access_token')

suite('S27 only OAuth 1.0a is accepted', () => {
  test('a callback without a verifier is refused', async () => {
    const { browser, url } = await stopBeforeCallback()
    url.searchParams.delete('oauth_verifier')
    const before = accessTokens()
    assert.equal(withoutDescription((await browser.open(url.href)).url), `${REDIRECT}?error=service_refused&state=s`)
    assert.equal(accessTokens(), before, 'the service was not called')
  })

  test('a callback with a wrong verifier is refused', async () => {
    const { browser, url } = await stopBeforeCallback()
    url.searchParams.set('oauth_verifier', 'guessed')
    assert.equal(withoutDescription((await browser.open(url.href)).url), `${REDIRECT}?error=service_refused&state=s`)
  })

  test('a callback with the request token of another sign-in is refused', async () => {
    const [one, two] = [await stopBeforeCallback(), await stopBeforeCallback()]
    one.url.searchParams.set('oauth_token', two.url.searchParams.get('oauth_token')!)
    assert.equal((await one.browser.open(one.url.href)).status, 400)
  })

  test('a used request token is refused', async () => {
    const { browser, url } = await stopBeforeCallback()
    assert.ok(new URL((await browser.open(url.href)).url).searchParams.has('code'))
    assert.equal((await browser.open(url.href)).status, 400)
  })

  test('a service that does not confirm the callback is refused', async () => {
    const micro = harness.lab.services['demo-micro']
    micro.configure({ callbackConfirmed: 'missing' })
    const back = await walk(harness.startUrl('demo-micro', { state: 's' }), { person: 'ada' })
    micro.configure({ callbackConfirmed: 'true' })
    assert.equal(withoutDescription(back.search), '?error=service_refused&state=s')
    assert.ok((await walk(harness.startUrl('demo-micro'), { person: 'ada' })).searchParams.has('code'))
  })

  test('a denial names the request token, and only the browser that began may bring it', async () => {
    const { browser, url } = await stopBeforeCallback()
    const denied = new URL(url.origin + url.pathname)
    denied.searchParams.set('denied', url.searchParams.get('oauth_token')!)
    assert.equal(withoutDescription((await browser.open(denied.href)).url), `${REDIRECT}?error=access_denied&state=s`)
    assert.equal((await browser.open(url.href)).status, 400)
  })
})
