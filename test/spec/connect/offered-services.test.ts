import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Page } from '../../../lab/browser.ts'
import { type App, basic } from '../../harness/app.ts'
import { tributary } from '../../harness/command-line.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { newOperator } from '../../harness/operator.ts'
import { get, send } from '../../harness/send.ts'
import { begin, continued, newBrowser, REDIRECT, redeemed, signIn, startUrl, walk } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHarness } from '../sign-in/fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const offer = async (services: string[] | null, by: App) => {
  const { status, body } = await harness.tributary.admin('PATCH', `/admin/apps/${by.clientId}`, { services })
  return { status, body: body as Record<string, unknown> }
}
/** An app with keys for three services of the demo, of which it offers some. */
const appWith = async (services: string[] | null): Promise<LabApp> => {
  const app = await harness.makeApp({ services: ['demo-social', 'demo-micro', 'demo-health'] })
  if (services !== null) assert.equal((await offer(services, app)).status, 200)
  return app
}
const page = (by: App, query: Record<string, string> = {}) =>
  newBrowser().open(
    `${harness.tributary.url}/connect?${new URLSearchParams({ client_id: by.clientId, redirect_uri: REDIRECT, ...query }).toString()}`,
  )
const chosen = ({ links }: Page) => links.map(({ label }) => label).slice(0, -1)
const listed = async (by: App, query = '', headers: Record<string, string> = {}) =>
  Object.keys((await send(harness, 'GET', `/services?client_id=${by.clientId}${query}`, { headers })).body)
/** The error with which a sign-in returns to the app at once. */
const refusal = async (service: string, by: App, query: Record<string, string> = {}) => {
  const back = new URL((await begin(startUrl(harness, service, query, by))).url).searchParams
  return [back.get('error'), back.get('error_description')]
}
const session = (services: string[] | undefined, by: App) =>
  send(harness, 'POST', '/connect/sessions', { headers: basic(by), json: { redirect_uri: REDIRECT, services } })

suite('an app that restricts which services people may connect', () => {
  test('shows no other on its page and in its list, and refuses a sign-in there with what helps', async () => {
    const app = await appWith(['demo-micro'])
    assert.deepEqual(chosen(await page(app)), ['Demo Micro'])
    assert.deepEqual(chosen(await page(app, { services: 'demo-social,demo-micro,feed' })), ['Demo Micro'])
    assert.deepEqual(await listed(app), ['demo-micro'])
    assert.deepEqual(await listed(app, '&names=demo-micro,demo-social'), ['demo-micro'])
    const { text } = await send(harness, 'GET', `/services?client_id=${app.clientId}&q=demo`)
    assert.deepEqual(
      (JSON.parse(text) as { service: string }[]).map(({ service }) => service),
      ['demo-micro'],
    )
    assert.deepEqual(await refusal('demo-social', app), [
      'service_not_offered',
      `The app does not offer demo-social to people. Offer it too: tributary app set ${app.clientId} --offer demo-social`,
    ])
    // Also one that needs no keys, and by another of its names.
    assert.equal((await refusal('feed', app))[0], 'service_not_offered')
    assert.ok((await walk(startUrl(harness, 'demo-micro', {}, app), { person: 'ada' })).searchParams.has('code'))
  })

  test('offers what it lists without keys, where none are needed', async () => {
    const app = await appWith(['demo-micro', 'feed', 'asana'])
    assert.deepEqual(chosen(await page(app)), ['Demo Micro', 'Feed'])
    // Nobody can sign in there: the app has no keys.
    assert.equal((await refusal('asana', app))[0], 'no_service_keys')
  })

  test('keeps what is connected: it is read, and reconnected by a link', async () => {
    const app = await appWith(null)
    const ada = await signIn(harness, 'demo-social', 'ada', {}, app)
    await offer([], app)
    assert.match((await page(app)).body, /has no services/i)
    assert.ok('demo-social' in (await get(harness, '/profiles', ada.access_token)).body)
    await harness.sql(`update profile set state = 'needs_auth', error = 'Refused.' where account_id = $1`, [
      ada.account,
    ])
    const { body } = await send(harness, 'POST', '/profiles/demo-social/reconnect', {
      token: ada.access_token,
      json: {},
    })
    const browser = newBrowser()
    const back = await continued(browser, await browser.walk(String(body['url']), { person: 'ada' }))
    assert.match(new URL(back.url).searchParams.get('reconnected') ?? back.body, /@demo-social$/)
    assert.equal((await refusal('demo-social', app, { access_token: ada.access_token }))[0], 'service_not_offered')
  })

  test('finishes a sign-in that has begun, and a link offers what is left', async () => {
    const app = await appWith(null)
    const code = (await walk(startUrl(harness, 'demo-social', {}, app), { person: 'ada' })).searchParams.get('code')
    const link = String((await session(['demo-social', 'demo-micro'], app)).body['url'])
    await offer(['demo-micro'], app)
    assert.ok((await redeemed(harness, code ?? '', app)).access_token)
    const opened = await newBrowser().open(link)
    assert.ok(opened.body.includes('value="demo-micro"') && !opened.body.includes('value="demo-social"'))
    assertRefused(await session(['demo-social'], app), 403, 'service_not_offered')
    assert.equal((await session(undefined, app)).status, 201)
    await offer(null, app)
    assert.deepEqual(chosen(await page(app)), ['Demo Social', 'Demo Micro', 'Demo Health'])
  })

  test('takes names and other names of known services, from operators and its developers only', async () => {
    const app = await appWith(null)
    const { body } = await offer(['twitter', 'demo-micro', 'demo-micro'], app)
    assert.deepEqual(body['services'], ['x', 'demo-micro'])
    const wrong = await offer(['nothing-here'], app)
    assert.deepEqual([wrong.status, wrong.body['reason'], wrong.body['param']], [400, 'bad_body', 'services'])
    const path = `/admin/apps/${app.clientId}`
    const bySecret = await send(harness, 'PATCH', path, { headers: basic(app), json: { services: null } })
    assertRefused(bySecret, 401, 'admin_token_invalid')
    const other = await newOperator(harness.tributary, {
      role: 'developer',
      apps: [(await harness.makeApp()).clientId],
    })
    const byOther = await send(harness, 'PATCH', path, { headers: other.headers, json: { services: null } })
    assert.ok(byOther.status >= 400, byOther.text)
    const developer = await newOperator(harness.tributary, { role: 'developer', apps: [app.clientId] })
    const byOwn = await send(harness, 'PATCH', path, { headers: developer.headers, json: { services: ['demo-micro'] } })
    assert.deepEqual([byOwn.status, byOwn.body['services']], [200, ['demo-micro']])
    // They see what they may choose from.
    const seen = await listed(app, '', { ...developer.headers, 'tributary-app': app.clientId })
    assert.ok(seen.includes('demo-social'))
  })

  test('is set on the command line', async () => {
    const app = await appWith(null)
    const env = { DATABASE_URL: harness.tributary.databaseUrl, TRIBUTARY_DATA: harness.tributary.dataDir }
    const cli = (...args: string[]) => tributary(['app', 'set', app.clientId, ...args], env)
    const set = await cli('--offer', 'demo-micro', '--offer', 'feed', '--json')
    assert.deepEqual((JSON.parse(set.stdout) as { services: string[] }).services, ['demo-micro', 'feed'])
    assert.deepEqual(chosen(await page(app)), ['Demo Micro', 'Feed'])
    const lifted = await cli('--offer-all', '--json')
    assert.equal((JSON.parse(lifted.stdout) as { services?: string[] }).services, undefined)
    assert.equal((await cli('--offer-all', '--offer', 'feed')).code, 2)
  })
})
