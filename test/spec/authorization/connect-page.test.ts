import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { get, send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, redeem, signIn, walk } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const address = (query: Record<string, string> = {}, clientId = harness.app.clientId) =>
  `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: clientId, redirect_uri: REDIRECT, ...query }).toString()}`

suite('/connect', () => {
  test('shows the app’s name and its services, and nothing else', async () => {
    const app = await harness.makeApp({ name: 'A & <i>B</i>', services: ['demo-social', 'demo-micro'] })
    const page = await newBrowser().open(address({}, app.clientId))
    assert.equal(page.status, 200)
    assert.ok(page.body.includes('A &amp; &lt;i&gt;B&lt;/i&gt;'))
    assert.deepEqual(
      page.links.map(({ label }) => label),
      ['Demo Micro', 'Demo Social'],
    )
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

  test('an app without services shows a message', async () => {
    const app = await harness.makeApp({ services: [] })
    const page = await newBrowser().open(address({}, app.clientId))
    assert.deepEqual(page.links, [])
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
    assert.match(page.title, /did not work/)
  })
})
