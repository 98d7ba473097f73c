import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeem, signIn, walk } from '../../harness/sign-in.ts'
import { assertRefused, pkce, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const address = (query: Record<string, string> = {}, clientId = harness.app.clientId) =>
  `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: clientId, redirect_uri: REDIRECT, ...query }).toString()}`

const credentials = () => ({ client_id: harness.app.clientId, client_secret: harness.app.secret })

suite('/connect', () => {
  test('shows the app’s name and its services, and nothing else', async () => {
    const app = await harness.makeApp({ name: 'A & <i>B</i>', services: ['demo-micro', 'demo-social'] })
    const page = await newBrowser().open(address({}, app.clientId))
    assert.equal(page.status, 200)
    assert.ok(page.body.includes('A &amp; &lt;i&gt;B&lt;/i&gt;'))
    assert.deepEqual(
      page.links.map(({ label }) => label),
      ['Demo Social', 'Demo Micro', 'Cancel and go back to A & <i>B</i>'],
    )
  })

  test('the services of the demo come first, then the others by title; what is connected comes last', async () => {
    const named = ['caldav', 'bluesky', 'demo-health', 'feed', 'demo-social', 'demo-micro', 'mastodon']
    const ada = await signIn(harness, 'demo-social', 'ada')
    const listed = async (query: Record<string, string>) =>
      (await newBrowser().open(address({ services: named.join(','), ...query }))).links
        .map(({ label }) => label)
        .slice(0, -1)
    const others = ['Bluesky', 'CalDAV', 'Feed', 'Mastodon']
    assert.deepEqual(await listed({}), ['Demo Social', 'Demo Micro', 'Demo Health', ...others])
    assert.deepEqual(await listed({ access_token: ada.access_token }), [
      'Demo Micro',
      'Demo Health',
      ...others,
      'Demo Social',
    ])
  })

  test('picking a service starts the sign-in with all given parameters', async () => {
    const ada = await signIn(harness, 'demo-social', 'ada')
    const browser = newBrowser()
    const page = await browser.open(address({ state: 'a&b=c', access_token: ada.access_token }))
    const link = page.links.find(({ label }) => label === 'Demo Health')!
    const back = (await walk(new URL(link.href, page.url).href, { person: 'ada' }, browser)).searchParams
    assert.equal(back.get('state'), 'a&b=c')
    await redeem(harness, back.get('code')!)
    assert.deepEqual(Object.keys((await get(harness, '/profiles', ada.access_token)).body), [
      'id',
      'demo-health',
      'demo-social',
    ])
  })

  test('a client that uses PKCE, a scope or the token flow finds its parameters in every link', async () => {
    const { verifier, query } = pkce()
    const browser = newBrowser()
    const page = await browser.open(address({ ...query, scope: 'profile', force_login: 'true', flag: 'dm' }))
    const link = page.links.find(({ label }) => label === 'Demo Social')!
    const start = new URL(link.href, page.url)
    for (const [name, value] of Object.entries({ ...query, scope: 'profile', force_login: 'true', flag: 'dm' }))
      assert.equal(start.searchParams.get(name), value)
    const code = codeOf(await walk(start.href, { person: 'ada' }, browser))
    assertRefused(
      await send(harness, 'POST', '/oauth/access_token', { form: { ...credentials(), code } }),
      400,
      'code_invalid',
    )
    const form = {
      ...credentials(),
      code: codeOf(await walk(start.href, { person: 'ada' }, newBrowser())),
      code_verifier: verifier,
    }
    assert.equal((await send(harness, 'POST', '/oauth/access_token', { form })).status, 200)

    const tokenPage = await browser.open(address({ response_type: 'token' }))
    const tokenLink = tokenPage.links.find(({ label }) => label === 'Demo Social')!
    const back = await walk(new URL(tokenLink.href, page.url).href, { person: 'ada' }, browser)
    assert.match(back.hash, /access_token=/)
  })

  test('an app without services shows a message', async () => {
    const app = await harness.makeApp({ services: [] })
    const page = await newBrowser().open(address({}, app.clientId))
    assert.deepEqual(
      page.links.map(({ href }) => href.split('?')[0]),
      [REDIRECT],
      'only the way back',
    )
    assert.match(page.body, /no services yet/)
  })

  test('an unknown app or address is refused, as a page or as JSON', async () => {
    const query = { client_id: harness.app.clientId, redirect_uri: 'https://evil.test/' }
    assertRefused(await send(harness, 'GET', '/connect', { query }), 400, 'redirect_unregistered')
    assertRefused(
      await send(harness, 'GET', '/connect', { query: { ...query, client_id: 'x' } }),
      400,
      'client_unknown',
    )
    const page = await newBrowser().open(address({}, 'app_nobody'))
    assert.equal(page.status, 400)
    assert.match(page.title, /couldn’t finish connecting/)
  })
})
