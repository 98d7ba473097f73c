import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHouse } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, signIn, walk } from '../../harness/sign-in.ts'
import { assertRefused, startQuietHouse } from './fixture.ts'

let house: LabHouse
before(async () => {
  house = await startQuietHouse()
})
after(() => house.stop())

const open = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  send(house, 'GET', '/oauth/authenticate', { query, headers })
const good = () => ({ client_id: house.app.clientId, redirect_uri: REDIRECT, service: 'demo-social' })

suite('told to the app by redirect, with the state', () => {
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
        access_token: (await signIn(house, 'demo-social', 'ada', {}, await house.makeApp())).access_token,
      }),
      'invalid_access_token',
    ],
  ]
  for (const [what, query, error] of cases) {
    test(what, async () => {
      const answer = await open({ ...good(), state: 'st+1', ...(await query()) })
      assert.equal(answer.status, 302)
      const to = new URL(answer.headers.get('location')!)
      assert.equal(to.origin + to.pathname, REDIRECT)
      assert.deepEqual(
        [...to.searchParams],
        [
          ['error', error],
          ['state', 'st+1'],
        ],
      )
      assert.equal(answer.text, '')
    })
  }

  test('the error stands in the query also for response_type=token', async () => {
    const answer = await open({ ...good(), service: 'nowhere', response_type: 'token', state: 's' })
    assert.equal(answer.headers.get('location'), `${REDIRECT}?error=service_unknown&state=s`)
  })

  test('a service that does not answer, answers nonsense, or refuses the keys', async () => {
    const social = house.lab.services['demo-social']
    const micro = house.lab.services['demo-micro']
    const outcome = async (service: string) =>
      (await walk(house.startUrl(service, { state: 's' }), { person: 'ada' })).search
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
    assert.deepEqual(await house.sql('select 1 from profile where app_id = $1', [house.app.clientId]), [])
  })

  test('what the service says is never passed on', async () => {
    const canary = 'canary-text-of-the-service'
    const social = house.lab.services['demo-social']
    social.faults.add({ path: '/oauth/token', kind: 'response', status: 400, body: `{"error":"${canary}"}` })
    const back = await walk(house.startUrl('demo-social'), { person: 'ada' })
    assert.ok(!back.href.includes(canary))
  })
})

suite('told to the person, never by redirect', () => {
  const cases: [string, () => Record<string, string>, string][] = [
    ['no client_id', () => ({ client_id: '' }), 'client_unknown'],
    ['an unknown client_id', () => ({ client_id: 'app_nobody' }), 'client_unknown'],
    ['no redirect_uri', () => ({ redirect_uri: '' }), 'redirect_unregistered'],
    ['an unregistered redirect_uri', () => ({ redirect_uri: 'https://evil.test/' }), 'redirect_unregistered'],
  ]
  for (const [what, query, reason] of cases) {
    test(`${what}: JSON for programs`, async () => {
      for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
        const answer = await open({ ...good(), ...query() }, headers)
        assertRefused(answer, 400, reason)
        assert.equal(answer.headers.get('location'), null)
      }
    })

    test(`${what}: a page for browsers`, async () => {
      const answer = await open({ ...good(), ...query() }, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      assert.equal(answer.status, 400)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
      assert.equal(answer.headers.get('location'), null)
      assert.ok(answer.text.includes(reason))
      assert.ok(!answer.text.includes('evil.test'), 'what was sent is not repeated')
    })
  }

  test('a callback that nobody waits for', async () => {
    for (const query of [
      '',
      '?state=none&code=x',
      '?oauth_token=none&oauth_verifier=v',
      '?denied=none',
      '?code=x',
      '?error=access_denied',
    ]) {
      const answer = await send(house, 'GET', `/auth/demo-social/callback${query}`)
      assertRefused(answer, 400, 'session_expired')
    }
    const page = await newBrowser().open(`${house.tributary.url}/auth/demo-social/callback?state=none&code=x`)
    assert.equal(page.status, 400)
    assert.match(page.title, /did not work/)
  })

  test('a callback of a service that is none', async () => {
    assertRefused(await send(house, 'GET', '/auth/nowhere/callback?state=x&code=y'), 400, 'session_expired')
  })

  test('a flag that is neither true nor false is named', async () => {
    const answer = await open({ ...good(), force_login: 'maybe' })
    assertRefused(answer, 400, 'bad_parameter')
    assert.match(String(answer.body['error']), /^force_login: /)
  })

  test('an app that was deleted while the person was away', async () => {
    const app = await house.makeApp()
    const browser = newBrowser()
    const login = await browser.login(await browser.open(house.startUrl('demo-social', {}, app)), 'ada')
    await house.tributary.admin('DELETE', `/admin/apps/${app.clientId}`)
    const page = await browser.decide(login, 'allow')
    assert.equal(page.status, 400)
  })

  test('keys that were taken away while the person was away are told to the app', async () => {
    const app = await house.makeApp()
    const browser = newBrowser()
    const login = await browser.login(await browser.open(house.startUrl('demo-social', {}, app)), 'ada')
    await house.tributary.admin('DELETE', `/admin/apps/${app.clientId}/keys/demo-social`)
    const page = await browser.decide(login, 'allow')
    assert.equal(new URL(page.url).search, '?error=no_service_keys')
  })
})
