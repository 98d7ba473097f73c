import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, signIn, walk } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHarness } from './fixture.ts'

let harness: LabHarness
before(async () => {
  harness = await startQuietHarness()
})
after(() => harness.stop())

const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  send(harness, 'GET', '/oauth/authenticate', { query, headers })
const good = () => ({ client_id: harness.app.clientId, redirect_uri: REDIRECT, service: 'demo-social' })

suite('errors reported to the app by redirect, with the state', () => {
  const cases: [string, () => Record<string, string> | Promise<Record<string, string>>, string][] = [
    ['no service', () => ({ service: '' }), 'service_unknown'],
    ['an unknown service', () => ({ service: 'nowhere' }), 'service_unknown'],
    ['a service without keys of the app', () => ({ service: 'bluesky' }), 'no_service_keys'],
    ['an unknown response type', () => ({ response_type: 'id_token' }), 'unsupported_response_type'],
    ['an access token that is none', () => ({ access_token: 'nonsense' }), 'invalid_access_token'],
    [
      'a PKCE challenge of another method',
      () => ({ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }),
      'invalid_request',
    ],
    ['a PKCE challenge without a method', () => ({ code_challenge: 'x'.repeat(43) }), 'invalid_request'],
    ['a PKCE method without a challenge', () => ({ code_challenge_method: 'S256' }), 'invalid_request'],
    [
      'a PKCE challenge of the wrong length',
      () => ({ code_challenge: 'x'.repeat(42), code_challenge_method: 'S256' }),
      'invalid_request',
    ],
    [
      "another app's access token",
      async () => ({
        access_token: (await signIn(harness, 'demo-social', 'ada', {}, await harness.makeApp())).access_token,
      }),
      'invalid_access_token',
    ],
  ]
  for (const [what, query, error] of cases) {
    test(what, async () => {
      const reply = await open({ ...good(), state: 'st+1', ...(await query()) })
      assert.equal(reply.status, 302)
      const to = new URL(reply.headers.get('location')!)
      assert.equal(to.origin + to.pathname, REDIRECT)
      assert.deepEqual(
        [...to.searchParams],
        [
          ['error', error],
          ['state', 'st+1'],
        ],
      )
      assert.equal(reply.text, '')
    })
  }

  test('the error is in the query also for response_type=token', async () => {
    const reply = await open({ ...good(), service: 'nowhere', response_type: 'token', state: 's' })
    assert.equal(reply.headers.get('location'), `${REDIRECT}?error=service_unknown&state=s`)
  })

  test('a service that does not respond, responds with nonsense, or refuses the keys', async () => {
    const social = harness.lab.services['demo-social']
    const micro = harness.lab.services['demo-micro']
    const outcome = async (service: string) =>
      (await walk(harness.startUrl(service, { state: 's' }), { person: 'ada' })).search
    micro.faults.add({ path: '/oauth/request_token', kind: 'reset' })
    assert.equal(await outcome('demo-micro'), '?error=service_unreachable&state=s')
    for (const fault of [{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'html' }] as const) {
      social.faults.add({ path: '/oauth/token', ...fault })
      assert.equal(await outcome('demo-social'), '?error=service_unreachable&state=s', fault.kind)
    }
    social.faults.add({ path: '/api/me', kind: 'status', status: 500 })
    assert.equal(await outcome('demo-social'), '?error=service_unreachable&state=s')
    social.faults.add({ path: '/oauth/token', kind: 'response', status: 401, body: '{"error":"invalid_client"}' })
    assert.equal(await outcome('demo-social'), '?error=service_refused&state=s')
    assert.deepEqual(await harness.sql('select 1 from profile where app_id = $1', [harness.app.clientId]), [])
  })

  test('texts of the service are never passed on', async () => {
    const canary = 'canary-text-of-the-service'
    const social = harness.lab.services['demo-social']
    social.faults.add({ path: '/oauth/token', kind: 'response', status: 400, body: `{"error":"${canary}"}` })
    const back = await walk(harness.startUrl('demo-social'), { person: 'ada' })
    assert.ok(!back.href.includes(canary))
  })
})

suite('errors shown to the person, never by redirect', () => {
  const cases: [string, () => Record<string, string>, string][] = [
    ['no client_id', () => ({ client_id: '' }), 'client_unknown'],
    ['an unknown client_id', () => ({ client_id: 'app_nobody' }), 'client_unknown'],
    ['no redirect_uri', () => ({ redirect_uri: '' }), 'redirect_unregistered'],
    ['an unregistered redirect_uri', () => ({ redirect_uri: 'https://evil.test/' }), 'redirect_unregistered'],
  ]
  for (const [what, query, reason] of cases) {
    test(`${what}: JSON for programs`, async () => {
      for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
        const reply = await open({ ...good(), ...query() }, headers)
        assertRefused(reply, 400, reason)
        assert.equal(reply.headers.get('location'), null)
      }
    })

    test(`${what}: a page for browsers`, async () => {
      const reply = await open({ ...good(), ...query() }, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      assert.equal(reply.status, 400)
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
      assert.equal(reply.headers.get('location'), null)
      assert.ok(reply.text.includes(reason))
      assert.ok(!reply.text.includes('evil.test'), 'what was sent is not repeated')
    })
  }

  test('a callback without a pending sign-in', async () => {
    for (const query of [
      '',
      '?state=none&code=x',
      '?oauth_token=none&oauth_verifier=v',
      '?denied=none',
      '?code=x',
      '?error=access_denied',
    ]) {
      const reply = await send(harness, 'GET', `/auth/demo-social/callback${query}`)
      assertRefused(reply, 400, 'session_expired')
    }
    const page = await newBrowser().open(`${harness.tributary.url}/auth/demo-social/callback?state=none&code=x`)
    assert.equal(page.status, 400)
    assert.match(page.title, /did not work/)
  })

  test('a callback of an unknown service', async () => {
    assertRefused(await send(harness, 'GET', '/auth/nowhere/callback?state=x&code=y'), 400, 'session_expired')
  })

  test('a flag that is neither true nor false is named', async () => {
    const reply = await open({ ...good(), force_login: 'maybe' })
    assertRefused(reply, 400, 'bad_parameter')
    assert.match(String(reply.body['error']), /^force_login: /)
  })

  test('an app that is deleted during the sign-in', async () => {
    const app = await harness.makeApp()
    const browser = newBrowser()
    const login = await browser.login(await browser.open(harness.startUrl('demo-social', {}, app)), 'ada')
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}`)
    const page = await browser.decide(login, 'allow')
    assert.equal(page.status, 400)
  })

  test('keys that are deleted during the sign-in are reported to the app', async () => {
    const app = await harness.makeApp()
    const browser = newBrowser()
    const login = await browser.login(await browser.open(harness.startUrl('demo-social', {}, app)), 'ada')
    await harness.tributary.admin('DELETE', `/admin/apps/${app.clientId}/keys/demo-social`)
    const page = await browser.decide(login, 'allow')
    assert.equal(new URL(page.url).search, '?error=no_service_keys')
  })
})
