import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { registeredKey } from '#access/register-app.ts'
import { findServiceAccess, withRegisteredKey } from '#access/service-access.ts'
import { mastodon } from '#connectors/mastodon/connector.ts'
import type { IdentityDeps } from '#identity/deps.ts'
import { leaseRegistration, storeRegistration } from '#store/apps/registrations.ts'
import { findPending, replacePending } from '#store/identity/pending.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { type Browser, createBrowser, type Page } from '../../../lab/browser.ts'
import { type Lab, startLab } from '../../../lab/lab.ts'
import { type App, basic, makeApp, setKeys } from '../../harness/app.ts'
import { callbackOf } from '../../harness/callback.ts'
import { LOOPBACK_TYPED } from '../../harness/loopback.ts'
import { send } from '../../harness/send.ts'
import { codeOf, newBrowser, REDIRECT, redeemed, startUrl, walk } from '../../harness/sign-in.ts'
import { startTributary, type Tributary } from '../../harness/start.ts'
import { openFlows } from '../sign-in/fixture.ts'
import { type HostileInstance, startHostileInstance } from '../sign-in/hostile-instance.ts'

let honest: Lab<'mastodon' | 'demo-social'>
let hostile: HostileInstance
let tributary: Tributary
let app: App

before(async () => {
  honest = await startLab({ services: ['mastodon', 'demo-social'] })
  hostile = await startHostileInstance()
  tributary = await startTributary(LOOPBACK_TYPED)
  app = await makeApp(tributary, { name: 'Notes', redirectUris: [REDIRECT] })
})
after(async () => {
  await tributary?.stop()
  await hostile?.close()
  await honest?.close()
})
beforeEach(() => {
  hostile.received.length = 0
})

const host = () => new URL(honest.services.mastodon.url).host
const start = (query: Record<string, string>, service = 'mastodon', by = app) =>
  startUrl({ tributary }, service, query, by)
/** Stops at our callbacks as well, so that a test can send the browser there itself. */
const holdingBrowser = () =>
  createBrowser({ stopAt: (url) => url.startsWith(REDIRECT) || url.startsWith(`${tributary.url}/auth/`) })

/** Presses “Continue” on our page with the server that the link names. */
function goOn(browser: Browser, page: Page): Promise<Page> {
  const form = page.forms.find(({ action }) => action === '/oauth/ask')
  assert.ok(form, `no question at ${page.url}`)
  return browser.submit(page, form, { answer: 'yes' })
}

/** The parameters of a sign-in that its browser left before the service. */
async function authorizeRequestAt(server: string): Promise<URL> {
  const browser = createBrowser({ stopAt: (url) => url.startsWith(honest.services.mastodon.url) })
  const page = await goOn(browser, await browser.open(start({ host: server })))
  return new URL(page.url)
}

/** The login page of the hostile instance sends the browser to the honest one, with the values of the honest client. */
function lureTo(authorize: URL, redirectUri = authorize.searchParams.get('redirect_uri')!): void {
  hostile.lure = (page) => {
    const url = new URL(authorize)
    url.searchParams.set('state', page.searchParams.get('state')!)
    url.searchParams.set('redirect_uri', redirectUri)
    return url.href
  }
}

async function assertRefused(browser: Browser, url: URL): Promise<void> {
  const page = await browser.open(url.href)
  assert.equal(page.status, 400)
  assert.match(page.body, /session_expired/)
}

suite('a code of one instance never reaches another (RFC 9700 4.4)', () => {
  test('S61 the server in a link is shown, and nothing is sent to it before the person goes on', async () => {
    for (const given of [hostile.host, `honest.example@${hostile.host}`, `https://${hostile.host}/@ada`]) {
      const page = await newBrowser().open(start({ host: given }))
      assert.match(page.url, /\/oauth\/ask\?/)
      assert.match(page.body, new RegExp(`leads to (<bdi>)?${hostile.host}`))
      assert.match(page.body, new RegExp(`value="${hostile.host}"`))
      assert.doesNotMatch(page.body, /honest\.example/)
    }
    assert.deepEqual(hostile.received, [])
  })

  test('S62 each instance has a redirect address of its own', async () => {
    const [one, two] = [await authorizeRequestAt(host()), await authorizeRequestAt(host())]
    const address = one.searchParams.get('redirect_uri')!
    assert.match(address, /\/auth\/mastodon\/callback\/[a-z0-9]{20}$/)
    assert.equal(two.searchParams.get('redirect_uri'), address, 'the same instance, the same address')
    const other = await makeApp(tributary, { redirectUris: [REDIRECT] })
    const browser = createBrowser({ stopAt: (url) => url.startsWith(honest.services.mastodon.url) })
    const page = await goOn(browser, await browser.open(start({ host: host() }, 'mastodon', other)))
    assert.notEqual(new URL(page.url).searchParams.get('redirect_uri'), address, 'another app')
    const evil = newBrowser()
    let given: string | null = null
    hostile.lure = (url) => {
      given = url.searchParams.get('redirect_uri')
      return `${REDIRECT}?stop`
    }
    await goOn(evil, await evil.open(start({ host: hostile.host })))
    assert.match(given ?? '', /\/auth\/mastodon\/callback\/[a-z0-9]{20}$/)
    assert.notEqual(given, address, 'another instance')
  })

  test('S63 a hostile instance that sends the person to an honest one gets no code, and the attacker no account', async () => {
    const attackers = await authorizeRequestAt(host())
    lureTo(attackers)
    const victim = holdingBrowser()
    const lured = await goOn(victim, await victim.open(start({ host: hostile.host })))
    const back = await victim.decide(await victim.login(lured, 'ada'), 'allow')
    const callback = new URL(back.url)
    const code = callback.searchParams.get('code')!
    assert.ok(code, back.url)
    const response = await fetch(callback, {
      headers: { cookie: cookiesOf(victim), accept: 'text/html' },
      redirect: 'manual',
    })
    assert.equal(response.status, 400)
    // The attacker redeems nothing in the own sign-in: the code is of another challenge, state and browser.
    callback.searchParams.set('state', attackers.searchParams.get('state')!)
    await assertRefused(newBrowser(), callback)
    for (const request of hostile.received) assert.ok(!request.includes(code), request)
  })

  test('S63 an honest instance does not take the redirect address of another', async () => {
    const attackers = await authorizeRequestAt(host())
    const shared = `${tributary.url}/auth/mastodon/callback`
    lureTo(attackers, shared)
    const victim = holdingBrowser()
    const lured = await goOn(victim, await victim.open(start({ host: hostile.host })))
    assert.ok(!lured.stopped && lured.status >= 400, `${lured.status} ${lured.url}`)
  })

  test('S63 the state of one registration is used up at the callback of another, and audited', async () => {
    const browser = holdingBrowser()
    const asked = await goOn(browser, await browser.open(start({ host: host() })))
    const back = new URL((await browser.decide(await browser.login(asked, 'ada'), 'allow')).url)
    const tokens = honest.services.mastodon.requests.to('/oauth/token', 'POST').length
    const other = new URL(back)
    other.pathname = `/auth/mastodon/callback/${'0'.repeat(20)}`
    const headers = { cookie: cookiesOf(browser), accept: 'text/html' }
    assert.equal((await fetch(other, { headers, redirect: 'manual' })).status, 400)
    assert.equal((await fetch(back, { headers, redirect: 'manual' })).status, 400)
    assert.equal(honest.services.mastodon.requests.to('/oauth/token', 'POST').length, tokens)
    const [entry] = await tributary.sql<{ detail: Record<string, string> }>(
      `select detail from audit where action = 'callback.refused' order by at desc limit 1`,
    )
    assert.equal(entry?.detail['came_back_registration'], '0'.repeat(20))
  })

  test('the honest way works, from a link and from the page', async () => {
    const browser = newBrowser()
    const asked = await goOn(browser, await browser.open(start({ host: host() })))
    const back = await browser.decide(await browser.login(asked, 'ada'), 'allow')
    const { account } = await redeemed({ tributary, app }, codeOf(new URL(back.url)))
    assert.ok(account)
  })
})

suite('registrations over time', () => {
  let deps: IdentityDeps
  let close: () => Promise<void>
  before(async () => {
    ;({ deps, close } = await openFlows({ tributary }))
  })
  after(() => close())

  const answers = () => ({ host: host() })
  const filled = () => fillConnector(mastodon, answers())
  const registered = (baseUrl: string) =>
    registeredKey(
      { ...deps, config: { baseUrl } },
      { app: { id: app.clientId, name: 'Notes' }, connector: filled(), answers: answers() },
    )

  test('S62 another base address is another registration, and credentials of the former one keep their key', async () => {
    const before = await registered(tributary.url)
    const moved = await registered('https://moved.example')
    assert.notEqual(moved.registration, before.registration)
    assert.notEqual(moved.key, before.key)
    const { body } = honest.services.mastodon.requests.to('/api/v1/apps', 'POST').at(-1)!
    assert.match(body, /moved\.example%2Fauth%2Fmastodon%2Fcallback%2F/)
    for (const each of [before, moved]) {
      const access = await findServiceAccess(deps, app.clientId, mastodon, withRegisteredKey(answers(), each))
      assert.deepEqual([access?.key.key, access?.key.secret], [each.key, each.secret])
    }
    assert.deepEqual(await registered(tributary.url), before, 'back at the former address: the former registration')
  })

  test('a key that an older release registered is still found for its credentials, and no sign-in begins with it', async () => {
    const old = { appId: app.clientId, service: 'mastodon', instance: host() }
    const terms = { lease: 'l', leaseUntil: 1, nowMs: 0, max: 10 }
    assert.ok(await leaseRegistration(deps.database, old, terms))
    const secrets = { key: 'old-client', secret: 'old-secret', expiresAt: undefined }
    assert.ok(await storeRegistration(deps.database, deps.keyring, old, 'l', secrets))
    const instance = { ...answers(), registered_as: 'old-client' }
    const access = await findServiceAccess(deps, app.clientId, mastodon, instance)
    assert.deepEqual([access?.key.key, access?.key.secret], ['old-client', 'old-secret'])
    assert.notEqual((await registered(tributary.url)).key, 'old-client')
  })

  test('S62 a sign-in that an older release began, without a registration, is refused at every callback', async () => {
    const browser = holdingBrowser()
    const asked = await goOn(browser, await browser.open(start({ host: host(), state: 's' })))
    const back = new URL((await browser.decide(await browser.login(asked, 'ada'), 'allow')).url)
    const hash = deps.hasher.hash('pending', `state ${back.searchParams.get('state')}`)
    const pending = await findPending(deps.database, deps.keyring, hash)
    const {
      registration: _,
      instance,
      ...value
    } = JSON.parse(pending!.value) as { registration: string; instance: Record<string, string> }
    const { registration: _own, ...named } = instance
    await replacePending(deps.database, deps.keyring, hash, JSON.stringify({ ...value, instance: named }))
    const tokens = honest.services.mastodon.requests.to('/oauth/token', 'POST').length
    const shared = new URL(back)
    shared.pathname = '/auth/mastodon/callback'
    const response = await fetch(shared, { headers: { cookie: cookiesOf(browser) }, redirect: 'manual' })
    assert.match(response.headers.get('location') ?? '', /error=service_refused/)
    assert.equal(honest.services.mastodon.requests.to('/oauth/token', 'POST').length, tokens)
  })
})

suite('a code of one app never reaches the addresses of another', () => {
  /** An app whose key leads to the hostile server, as an operator or a stolen key may have set it. */
  async function overridden(): Promise<App> {
    const other = await makeApp(tributary, { name: 'Other', redirectUris: [REDIRECT] })
    const overrides = { authorize_url: `${hostile.url}/oauth/authorize`, token_url: `${hostile.url}/oauth/token` }
    await setKeys(tributary, other, 'demo-social', { key: 'k', secret: 's', overrides })
    return other
  }

  test('S64 a sign-in with other addresses that ends at the honest service sends its code nowhere', async () => {
    const { url, register } = honest.services['demo-social']
    const overrides = { base_url: url }
    const callback = callbackOf(tributary, app, 'demo-social', overrides)
    const key = register({ redirectUris: [callback] })
    await setKeys(tributary, app, 'demo-social', { ...key, overrides })
    assert.ok(codeOf(await walk(start({}, 'demo-social'), { person: 'ada' })), 'the honest app works')
    const other = await overridden()
    const stopped = createBrowser({ stopAt: (each) => each.startsWith(`${url}/`) })
    const attackers = new URL((await stopped.open(start({}, 'demo-social'))).url)
    lureTo(attackers)
    const victim = holdingBrowser()
    const lured = await victim.open(start({}, 'demo-social', other))
    const back = new URL((await victim.decide(await victim.login(lured, 'ada'), 'allow')).url)
    const code = back.searchParams.get('code')!
    assert.equal(`${back.origin}${back.pathname}`, callback)
    const response = await fetch(back, { headers: { cookie: cookiesOf(victim) }, redirect: 'manual' })
    assert.equal(response.status, 400)
    for (const request of hostile.received) assert.ok(!request.includes(code), request)
    assert.ok(hostile.received.every((request) => !request.includes('POST /oauth/token')))
  })

  test('S64 a key whose addresses change during a sign-in gets no code of the former ones', async () => {
    const { url, register } = honest.services['demo-social']
    const moved = await makeApp(tributary, { redirectUris: [REDIRECT] })
    const overrides = { base_url: url }
    const key = register({ redirectUris: [callbackOf(tributary, moved, 'demo-social', overrides)] })
    await setKeys(tributary, moved, 'demo-social', { ...key, overrides })
    const browser = holdingBrowser()
    const back = await browser.walk(start({}, 'demo-social', moved), { person: 'ada' })
    const evil = { authorize_url: `${hostile.url}/oauth/authorize`, token_url: `${hostile.url}/oauth/token` }
    await setKeys(tributary, moved, 'demo-social', { ...key, overrides: evil })
    const response = await fetch(back.url, { headers: { cookie: cookiesOf(browser) }, redirect: 'manual' })
    assert.match(response.headers.get('location') ?? '', /error=service_refused/)
    assert.deepEqual(hostile.received, [])
  })
})

suite('a password of one site never reaches another', () => {
  const PASSWORD = 'abcd EFGH 1234 ijkl'
  async function named(site_url: string | undefined): Promise<string> {
    const browser = newBrowser()
    const page = await browser.open(start({ state: 's' }, 'wordpress'))
    hostile.lure = (url) => {
      const back = new URL(url.searchParams.get('success_url')!)
      if (site_url !== undefined) back.searchParams.set('site_url', site_url)
      back.searchParams.set('user_login', 'victim')
      back.searchParams.set('password', PASSWORD)
      return back.href
    }
    const form = page.forms.find(({ action }) => action === '/oauth/typed')!
    return (await browser.submit(page, form, { field_site: hostile.url, answer: 'yes' })).url
  }
  const sent = () => hostile.received.filter((request) => request.includes('"authorization"'))

  const FOREIGN = [
    'https://victim.example',
    'https://victim.example/evil',
    'http://127.0.0.1:1',
    'https://127.0.0.1',
    'http://localhost',
    'not an address',
    '',
    undefined,
  ]
  for (const foreign of FOREIGN) {
    test(`S65 named one site, got the password of ${foreign ?? 'no site'}: it goes nowhere`, async () => {
      assert.match(await named(foreign), /error=/)
      assert.deepEqual(sent(), [])
    })
  }

  test('S65 a password of the site itself, or of one installed below it, is used', async () => {
    for (const own of [hostile.url, `${hostile.url}/`, `${hostile.url}/wp`]) {
      hostile.received.length = 0
      await named(own)
      assert.ok(sent().length > 0, own)
    }
  })

  test('S65 a password that the app applies belongs to a person of the site that is named with it', async () => {
    const apply = (json: object) =>
      send({ tributary }, 'POST', '/auth/wordpress/apply', {
        json: { token: 'ada', token_secret: PASSWORD, ...json },
        headers: basic(app),
      })
    for (const given of [{ fields: { site: hostile.url } }, { instance: { site: hostile.url } }]) {
      const applied = await apply(given)
      assert.equal(applied.body['profile'], `${encodeURIComponent(`1@${hostile.host}`)}@wordpress`, applied.text)
    }
    // The first syncs of these profiles send the password too.
    await tributary.idle('syncs')
    hostile.received.length = 0
    for (const given of [{}, { instance: { api_url: `${hostile.url}/wp-json/wp/v2` } }, { fields: { site: '' } }])
      assert.equal((await apply(given)).status, 400, JSON.stringify(given))
    assert.deepEqual(sent(), [])
  })
})

function cookiesOf(browser: Browser): string {
  return Object.entries(browser.cookies(`${tributary.url}/auth/`))
    .map((pair) => pair.join('='))
    .join('; ')
}
