import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Browser, createBrowser, type Page } from '../../../lab/browser.ts'
import { basic } from '../../harness/app.ts'
import { send } from '../../harness/send.ts'
import { startUrl } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { type RawUpstream, startRawUpstream } from '../proxy/raw-upstream.ts'
import { typeIn } from '../sign-in/typed-fixture.ts'

let tributary: Tributary
before(async () => {
  tributary = await startTributary({}, {}, { demo: true })
})
after(() => tributary.stop())

interface Session {
  client_id: string
  services: { service: string; title: string; connected: boolean }[]
  account?: string
  access_token?: string
}

const at = (path: string) => `${tributary.url}${path}`
const sessionOf = async (browser: Browser) => JSON.parse((await browser.open(at('/demo/session'))).body) as Session
const connectedOf = ({ services }: Session) => services.filter((one) => one.connected).map(({ service }) => service)
const asBearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })

const cookieOf = (browser: Browser) =>
  Object.entries(browser.cookies(at('/demo/session')))
    .map((pair) => pair.join('='))
    .join('; ')

/** Walks from the demo's page through a service's pages and back. */
const connect = (browser: Browser, service: string, person: string): Promise<Page> =>
  browser.walk(at(`/demo/connect?service=${service}`), { person })

/** The address at which the demo's app receives the result of a sign-in; it is not opened. */
async function callbackFor(person: string): Promise<{ browser: Browser; url: string }> {
  let stops = true
  const browser = createBrowser({ stopAt: (url) => stops && url.startsWith(at('/demo/callback')) })
  const { url } = await connect(browser, 'demo-social', person)
  stops = false
  return { browser, url }
}

suite('F10 the demo app', () => {
  test('connects services to one account, and the address has neither a code nor a token', async () => {
    const browser = createBrowser()
    const page = await connect(browser, 'demo-social', 'ada')
    assert.deepEqual([page.status, page.url], [200, at('/demo')], page.body)
    const { body: plain } = await browser.open(at('/demo?plain=true'))
    assert.match(plain, /types\/photos\?limit=3[^']+' -H 'authorization: Bearer trt_\w+' \| jq/)
    const first = await sessionOf(browser)
    assert.deepEqual(connectedOf(first), ['demo-social'])
    await connect(browser, 'demo-health', 'ada')
    const second = await sessionOf(browser)
    assert.equal(second.account, first.account)
    assert.deepEqual(connectedOf(second), ['demo-social', 'demo-health'])
  })

  test('lists Demo Social first', async () => {
    const { services, account } = await sessionOf(createBrowser())
    assert.deepEqual(
      services.map(({ title }) => title),
      ['Demo Social', 'Demo Micro', 'Demo Health'],
    )
    assert.equal(account, undefined)
  })

  test('a callback that is requested again does no harm: reload, Back, double click', async () => {
    const { browser, url } = await callbackFor('ben')
    const [one, two] = await Promise.all([browser.open(url), browser.open(url)])
    assert.deepEqual([one.url, two.url], [at('/demo'), at('/demo')])
    const { access_token: token } = await sessionOf(browser)
    assert.equal((await browser.open(url)).url, at('/demo'))
    assert.equal((await fetch(at('/profiles'), { headers: asBearer(token) })).status, 200)
    assert.equal((await sessionOf(browser)).access_token, token)
  })

  test('refuses a code with the state of another browser, without a state, or with an invented one', async () => {
    const count = async () =>
      (await tributary.store.database.rows({ name: 'test-accounts', text: 'select id from account' })).length
    const foreign = new URL((await callbackFor('chloe')).url)
    const before = await count()
    const browser = createBrowser()
    await browser.open(at('/demo/connect?service=demo-social'))
    const without = new URL(foreign)
    without.searchParams.delete('state')
    const forged = new URL(foreign)
    forged.searchParams.set('state', `o${'x'.repeat(foreign.searchParams.get('state')!.length - 1)}`)
    const worded = new URL(at('/demo/callback?error=x&error_description=Call+this+number'))
    for (const url of [foreign, without, forged, worded]) {
      const page = await browser.open(url.href)
      assert.equal(new URL(page.url).searchParams.get('error'), 'state_invalid')
      assert.match(new URL(page.url).searchParams.get('error_description') ?? '', /did not begin in this browser/)
    }
    assert.match((await createBrowser().open(foreign.href)).url, /state_invalid/, 'a browser without a cookie')
    assert.equal(await count(), before)
  })

  test('two tabs of one browser both finish', async () => {
    const browser = createBrowser()
    const tabs = [
      await browser.open(at('/demo/connect?service=demo-social')),
      await browser.open(at('/demo/connect?service=demo-social')),
    ]
    for (const tab of tabs) assert.equal((await browser.walk(tab.url, { person: 'chloe' })).url, at('/demo'))
    assert.deepEqual(connectedOf(await sessionOf(browser)), ['demo-social'])
  })

  test('a refusal leads back to the page with the reason', async () => {
    const page = await createBrowser().walk(at('/demo/connect?service=demo-social'), {
      person: 'ada',
      decision: 'deny',
    })
    const { searchParams } = new URL(page.url)
    assert.equal(searchParams.get('error'), 'access_denied')
    assert.match(searchParams.get('error_description') ?? '', /\w/)
  })

  test('forgets the account of a browser, and only for a page of its own', async () => {
    const browser = createBrowser()
    await connect(browser, 'demo-social', 'esra')
    const cookie = cookieOf(browser)
    const forget = (headers: Record<string, string>) =>
      fetch(at('/demo/session'), { method: 'DELETE', headers: { cookie, ...headers } })
    assert.equal((await forget({ origin: 'https://evil.test' })).status, 403)
    assert.equal((await forget({ 'sec-fetch-site': 'cross-site' })).status, 403)
    const response = await forget({ origin: tributary.url, 'sec-fetch-site': 'same-origin' })
    assert.equal(response.status, 200)
    assert.match(
      response.headers.get('set-cookie') ?? '',
      /^tributary-demo-session=; .*HttpOnly; SameSite=Lax; Max-Age=0/,
    )
  })

  test('a cookie that was changed, and one of a revoked token, count as none', async () => {
    const browser = createBrowser()
    await connect(browser, 'demo-social', 'dmitri')
    const cookie = cookieOf(browser)
    const session = async (headers: Record<string, string>) =>
      (await (await fetch(at('/demo/session'), { headers })).json()) as Session
    const { access_token: token, account } = await session({ cookie })
    assert.ok(account)
    const changed = cookie.replace(/session=.{20}/, `session=${'A'.repeat(20)}`)
    assert.notEqual(changed, cookie)
    assert.equal((await session({ cookie: changed })).account, undefined)
    await fetch(at('/oauth/revoke'), { method: 'POST', body: new URLSearchParams({ token: token! }) })
    assert.equal((await session({ cookie })).account, undefined)
  })
})

suite('S70 a demo that others can reach', () => {
  let exposed: Tributary
  let inside: RawUpstream
  before(async () => {
    inside = await startRawUpstream()
    exposed = await startTributary({ HOST: '0.0.0.0' }, {}, { demo: true })
  })
  after(async () => {
    await exposed.stop()
    await inside.close()
  })

  const act = (to: Tributary, headers: Record<string, string> = {}) =>
    send({ tributary: to }, 'POST', '/demo/controls', { json: { action: 'week_later' }, headers })
  const pushTo = async (to: Tributary) => {
    const { clientId, secret } = to.demoApp!
    const json = { name: 'Inside', kind: 'webhook', url: inside.url }
    return (await send({ tributary: to }, 'POST', '/push', { headers: basic({ clientId, secret }), json })).status
  }
  /** A stranger with a browser names a feed, as the client id in `GET /demo/session` lets everybody do. */
  const nameFeed = async (to: Tributary) => {
    const { clientId, redirectUri } = to.demoApp!
    const browser = createBrowser({ stopAt: (url) => url.startsWith(redirectUri) })
    const page = await browser.open(startUrl({ tributary: to }, 'feed', { redirect_uri: redirectUri }, { clientId }))
    return typeIn(browser, page, { feed: `${inside.url}/rss` })
  }

  test('has no controls, whatever the request says about its host, and says why', async () => {
    for (const headers of [{}, { host: 'localhost' }, { host: '127.0.0.1' }, { 'x-forwarded-for': '127.0.0.1' }]) {
      const { status, body } = await act(exposed, headers)
      assert.deepEqual([status, body['reason']], [403, 'demo_exposed'])
    }
    assert.equal((await send({ tributary: exposed }, 'GET', '/demo/session')).body['exposed'], true)
    assert.match((await send({ tributary: exposed }, 'GET', '/demo?plain=true')).text, /Others can reach this demo/)
  })

  test('reaches nothing on its own machine, neither for strangers nor for apps', async () => {
    assert.match((await nameFeed(exposed)).body, /role="alert"/)
    assert.equal(await pushTo(exposed), 400)
    assert.equal(inside.connections(), 0)
  })

  test('one on loopback has controls and destinations on its machine, and no typed servers there', async () => {
    assert.equal((await act(tributary)).status, 200)
    assert.equal((await send({ tributary }, 'GET', '/demo/session')).body['exposed'], false)
    assert.match((await nameFeed(tributary)).body, /role="alert"/)
    assert.equal(inside.connections(), 0)
    assert.equal(await pushTo(tributary), 201)
  })
})
