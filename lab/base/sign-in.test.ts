import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Lab, startLab } from '../lab.ts'
import { appBrowser, authorizeUrl, callback, challengeOf, newVerifier } from '../testing/oauth2-client.ts'

let lab: Lab<'demo-social'>
let url: string

before(async () => {
  lab = await startLab({ services: ['demo-social'] })
  const service = lab.services['demo-social']
  const flow = { service, ...service.register({ redirectUris: [callback], name: 'Printer <b>' }) }
  const pkce = { code_challenge: challengeOf(newVerifier()), code_challenge_method: 'S256' }
  url = authorizeUrl(flow, { ...pkce, scope: 'profile email' })
})
after(() => lab.close())

test('accepts name and password, rejects a wrong password, and shows a button per person', async () => {
  const browser = appBrowser()
  const login = await browser.open(url)
  const buttons = login.forms.find(({ id }) => id === 'quick-login')?.buttons ?? []
  assert.deepEqual(buttons[0], { name: 'as', value: 'ada', label: 'Log in as Ada' })
  assert.equal(buttons.length, 6)
  const failed = await browser.login(login, 'ada', 'wrong')
  assert.equal(failed.status, 401)
  assert.match((await browser.login(failed, 'ada', 'ada-demo')).title, /^Printer <b> would like/)
})

test('pages are escaped, without scripts, not frameable and not cached', async () => {
  const page = await appBrowser().open(url)
  assert.match(page.body, /Printer &lt;b&gt;/)
  assert.doesNotMatch(page.body, /<script|onclick/)
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  assert.equal(page.headers.get('cache-control'), 'no-store')
})

test('the consent page describes each scope', async () => {
  const browser = appBrowser()
  const consent = await browser.login(await browser.open(url), 'ben')
  assert.match(consent.body, /see your e-mail address/)
  const form = consent.forms.find(({ id }) => id === 'consent')
  assert.deepEqual(
    form?.buttons.map(({ label }) => label),
    ['Allow', 'Deny'],
  )
})

test('an interaction is valid in its own browser, once, for ten minutes', async () => {
  const browser = appBrowser()
  const login = await browser.open(url)
  assert.equal((await appBrowser().open(login.url)).status, 400)
  const consent = await browser.login(login, 'ada')
  const stranger = appBrowser()
  await stranger.login(await stranger.open(url), 'ben')
  assert.match((await stranger.decide(consent, 'allow')).title, /^This page has expired/)
  assert.ok((await browser.decide(consent, 'allow')).stopped)
  assert.equal((await browser.decide(consent, 'allow')).status, 400)
  const late = await browser.open(url)
  lab.clock.advance(11 * 60_000)
  assert.match((await browser.decide(late, 'allow')).title, /^This page has expired/)
})

test('a second tab still works after a login in the first', async () => {
  const browser = appBrowser()
  const [one, two] = [await browser.open(url), await browser.open(url)]
  await browser.login(one, 'ada')
  const consent = await browser.login(two, 'ada')
  assert.ok((await browser.decide(consent, 'allow')).stopped)
})

test('logging in changes the session cookie', async () => {
  const browser = appBrowser()
  const login = await browser.open(url)
  const before = browser.cookies(url)['lab_demo-social']
  await browser.login(login, 'ada')
  assert.notEqual(browser.cookies(url)['lab_demo-social'], before)
})
