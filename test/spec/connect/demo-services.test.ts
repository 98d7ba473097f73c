import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { type Browser, createBrowser, type Page } from '../../../lab/browser.ts'
import { callbackOf } from '../../harness/callback.ts'
import { freePort } from '../../harness/free-port.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { until } from '../../harness/until.ts'

/** What browsers see is another address than where this machine listens: a forwarded port, a container. */
const OUTSIDE = 'https://demo.example'
const ALL = ['demo-social', 'demo-micro', 'demo-health']

let tributary: Tributary
let local: string
before(async () => {
  tributary = await startTributary({}, {}, { demo: true })
  local = tributary.url
})
after(() => tributary.stop())

interface State {
  service: string
  down: boolean
  throttled: boolean
  now: number
}

interface Session {
  account?: string
  access_token?: string
  services: { service: string; connected: boolean }[]
}

const at = (path: string) => `${local}${path}`
const cookieOf = (browser: Browser) =>
  Object.entries(browser.cookies(at('/demo/session')))
    .map((pair) => pair.join('='))
    .join('; ')
const sessionOf = async (browser: Browser) => JSON.parse((await browser.open(at('/demo/session'))).body) as Session
const connectedOf = ({ services }: Session) => services.filter((one) => one.connected).map(({ service }) => service)

/** The button of the demo's page. */
async function oneClick(browser: Browser): Promise<Page> {
  const page = await browser.open(at('/demo?plain=true'))
  return browser.submit(page, page.forms.find(({ action }) => action.endsWith('/demo/start'))!)
}

async function control(
  body: object,
  { browser, headers = {} }: { browser?: Browser; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: State[] & { reason?: string } }> {
  const response = await fetch(at('/demo/controls'), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: local,
      ...(browser === undefined ? {} : { cookie: cookieOf(browser) }),
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as State[] & { reason?: string } }
}

const read = async (path: string, token: string | undefined) =>
  (await (await fetch(at(path), { headers: { authorization: `Bearer ${token}` } })).json()) as Record<string, unknown>

const settled = (token: string | undefined, wanted: string) =>
  until(`the syncs are ${wanted}`, async () => {
    const { profiles } = (await read('/sync', token)) as { profiles: { state: string }[] }
    return profiles.length === ALL.length && profiles.every(({ state }) => state === wanted) ? true : undefined
  })

suite('F10 the demo services', () => {
  test('one click connects Ada everywhere, by redirects of this origin only; a second click changes nothing', async () => {
    const browser = createBrowser()
    const page = await oneClick(browser)
    assert.equal(page.url, at('/demo'), page.body)
    assert.ok(page.chain.every((url) => url.startsWith(local)))
    assert.ok(!page.chain.some((url) => /trt_|access_token/.test(url)), 'no token in an address')
    const session = await sessionOf(browser)
    assert.deepEqual(connectedOf(session), ALL)
    const again = await fetch(at('/demo/start'), {
      method: 'POST',
      headers: { cookie: cookieOf(browser), origin: local },
      redirect: 'manual',
    })
    assert.deepEqual([again.status, again.headers.get('location')], [303, '/demo'])
    const elsewhere = await fetch(at('/demo/start'), { method: 'POST', headers: { origin: 'https://evil.test' } })
    assert.equal(elsewhere.status, 403)
    const other = createBrowser()
    await oneClick(other)
    assert.equal((await sessionOf(other)).account, session.account, 'Ada is one person, in two browsers too')
  })

  test('a week later there are new items; revoked access is visible, and one click reconnects', async () => {
    const browser = createBrowser()
    await oneClick(browser)
    const { access_token: token } = await sessionOf(browser)
    await settled(token, 'complete')
    const before = await read('/types', token)
    const { body } = await control({ action: 'week_later' }, { browser })
    await until('new photos, statuses and measures', async () => {
      const now = await read('/types', token)
      const grew = (type: string) => Number(now[type]) > Number(before[type])
      return (grew('photos') && grew('statuses') && grew('measures')) || undefined
    })
    const [later] = (await control({ action: 'week_later', service: 'demo-social' }, { browser })).body
    assert.ok(later!.now - body[0]!.now >= 7 * 86_400_000)

    await control({ action: 'revoke' }, { browser })
    await settled(token, 'needs_auth')
    assert.deepEqual(connectedOf(await sessionOf(browser)), [])
    await oneClick(browser)
    const session = await sessionOf(browser)
    assert.deepEqual(connectedOf(session), ALL)
    await settled(session.access_token, 'complete')
  })

  test('a service that is down refuses, and its first sync is completed when it is up again', async () => {
    const browser = createBrowser()
    await browser.walk(at('/demo/connect?service=demo-health'), { person: 'ben' })
    const down = await control({ action: 'down', service: 'demo-health' }, { browser })
    assert.deepEqual(
      down.body.map((state) => state.down),
      [false, false, true],
    )
    const { access_token: token } = await sessionOf(browser)
    const proxied = await fetch(at('/proxy/demo-health/profile'), { headers: { authorization: `Bearer ${token}` } })
    assert.equal(proxied.status, 503)
    const failed = await createBrowser().walk(at('/demo/connect?service=demo-health'), { person: 'esra' })
    assert.equal(failed.status, 503, 'the sign-in page of the service')
    await control({ action: 'up', service: 'demo-health' }, { browser })
    await until('the first sync is complete', async () => {
      const { state } = await read('/sync', token)
      return state === 'complete' ? true : undefined
    })
  })

  test('a throttled service is read slowly, and goes on at once when it is not throttled any more', async () => {
    const browser = createBrowser()
    const { body } = await control({ action: 'throttle', service: 'demo-micro' })
    assert.equal(body[1]!.throttled, true)
    await browser.walk(at('/demo/connect?service=demo-micro'), { person: 'chloe' })
    const { access_token: token } = await sessionOf(browser)
    await until('the service refuses more calls', async () => {
      const { status } = await fetch(at('/proxy/demo-micro/me'), { headers: { authorization: `Bearer ${token}` } })
      return status === 429 ? true : undefined
    })
    await control({ action: 'unthrottle', service: 'demo-micro' }, { browser })
    await until('the first sync is complete', async () => {
      const { state } = await read('/sync', token)
      return state === 'complete' ? true : undefined
    })
  })

  test('the controls are for JSON of the same origin only', async () => {
    const refused = async (headers: Record<string, string>, body: object = { action: 'down' }) =>
      (await control(body, { headers })).body.reason
    assert.equal(await refused({ origin: 'https://evil.test' }), 'origin_refused')
    assert.equal(await refused({ 'sec-fetch-site': 'cross-site' }), 'origin_refused')
    assert.equal(await refused({}, { action: 'explode' }), 'bad_body')
    // A page that uses DNS rebinding has its own name in both.
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.test', origin: 'http://evil.test', 'content-type': 'application/json' }
      request(at('/demo/controls'), { method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end('{"action":"down"}')
    })
    assert.equal(rebound, 403)
    const form = await fetch(at('/demo/controls'), { method: 'POST', body: new URLSearchParams({ action: 'down' }) })
    assert.equal(form.status, 415)
    const preflight = await fetch(at('/demo/controls'), { method: 'OPTIONS', headers: { origin: 'https://evil.test' } })
    assert.equal(preflight.headers.get('access-control-allow-origin'), null)
    const states = (await (await fetch(at('/demo/controls'))).json()) as State[]
    assert.ok(states.every(({ down }) => !down))
  })

  test('only pages, pictures and their forms are forwarded, without our cookies and without scripts', async () => {
    const page = await fetch(at('/demo/services/demo-social/media/10x10-1.svg'), { headers: { cookie: 'tributary=x' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'image/svg+xml'])
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none';(?!.*script)/)
    for (const path of ['_lab', '_lab/clients', 'controls', '../control.sock'])
      assert.equal((await fetch(at(`/demo/services/demo-social/${path}`))).status, 404, path)
    for (const path of ['_lab/tokens', 'oauth/token', 'oauth/register', 'api/me/posts', 'controls'])
      assert.equal((await fetch(at(`/demo/services/demo-social/${path}`), { method: 'POST' })).status, 405, path)
    assert.equal((await fetch(at('/demo/services/github/login'))).status, 404)
    const start = await fetch(at('/demo/connect?service=demo-social'), { redirect: 'manual' })
    const login = await fetch(start.headers.get('location')!, { redirect: 'manual', headers: { cookie: 'a=b' } })
    assert.match(
      login.headers.get('set-cookie') ?? '',
      /^lab_demo-social=[\w-]+; Path=\/demo\/services\/demo-social\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test('any app may use them in test mode, again and again', async () => {
    const made = await tributary.admin('POST', '/admin/apps', {
      name: 'Notes',
      redirect_uris: ['http://localhost:1/back'],
    })
    const { client_id: clientId, client_secret: secret } = made.body as Record<string, string>
    const use = () => tributary.admin('POST', `/admin/apps/${clientId}/demo-services`, {})
    const first = await use()
    assert.equal(first.status, 200, JSON.stringify(first.body))
    assert.deepEqual((await use()).body, first.body)
    const query = new URLSearchParams({
      client_id: clientId!,
      redirect_uri: 'http://localhost:1/back',
      service: 'demo-micro',
      state: 's',
    })
    const browser = createBrowser({ stopAt: (url) => url.startsWith('http://localhost:1/back') })
    const back = new URL((await browser.walk(at(`/oauth/authenticate?${query.toString()}`), { person: 'ben' })).url)
    const response = await fetch(at('/oauth/access_token'), {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId!, client_secret: secret!, code: back.searchParams.get('code')! }),
    })
    const { access_token: token } = (await response.json()) as { access_token: string }
    await use()
    const me = await fetch(at('/proxy/demo-micro/me'), { headers: { authorization: `Bearer ${token}` } })
    assert.equal(me.status, 200, 'a second registration ends no token')
    assert.equal((await tributary.admin('POST', '/admin/apps/app_none/demo-services', {})).status, 404)
  })
})

suite('F10 the demo behind another address', () => {
  test('browsers are sent to the base address, and calls to the services do not use it', async () => {
    const port = await freePort()
    const address = `http://127.0.0.1:${port}`
    const behind = await startTributary({ BASE_URL: OUTSIDE, PORT: String(port) }, {}, { demo: true })
    try {
      const start = await fetch(`${address}/demo/connect?service=demo-social`, { redirect: 'manual' })
      const authorize = new URL(start.headers.get('location')!)
      assert.equal(authorize.origin + authorize.pathname, `${OUTSIDE}/demo/services/demo-social/oauth/authorize`)
      const { client_id: clientId } = (await (await fetch(`${address}/demo/session`)).json()) as { client_id: string }
      const overrides = {
        base_url: 'http://demo-social.test',
        authorize_url: `${OUTSIDE}/demo/services/demo-social/oauth/authorize`,
      }
      const callback = callbackOf({ url: OUTSIDE }, { clientId }, 'demo-social', overrides)
      assert.equal(authorize.searchParams.get('redirect_uri'), callback)
      const login = await fetch(authorize.href.replace(OUTSIDE, address), { redirect: 'manual' })
      assert.match(login.headers.get('location') ?? '', /\/demo\/services\/demo-social\/login/, 'it is registered')
      const cookies = start.headers.getSetCookie()
      assert.ok(cookies.every((cookie) => /^__Host-.*; Secure$/.test(cookie)))
      const micro = await fetch(`${address}/demo/connect?service=demo-micro`, { redirect: 'manual' })
      assert.match(
        micro.headers.get('location')!,
        new RegExp(`^${OUTSIDE}/demo/services/demo-micro/oauth/authorize\\?`),
      )
    } finally {
      await behind.stop()
    }
  })
})

suite('F10 a server without the demo', () => {
  test('has neither its pages nor its services, and says how to start them', async () => {
    const plain = await startTributary()
    try {
      for (const path of ['/demo', '/demo/session', '/demo/controls', '/demo/services/demo-social/media/1x1-1.svg'])
        assert.equal((await fetch(`${plain.url}${path}`)).status, 404, path)
      const made = await plain.admin('POST', '/admin/apps', {
        name: 'Notes',
        redirect_uris: ['http://localhost:1/back'],
      })
      const { client_id: clientId } = made.body as Record<string, string>
      const refused = await plain.admin('POST', `/admin/apps/${clientId}/demo-services`, {})
      assert.deepEqual([refused.status, (refused.body as { reason: string }).reason], [409, 'demo_not_running'])
    } finally {
      await plain.stop()
    }
  })
})
