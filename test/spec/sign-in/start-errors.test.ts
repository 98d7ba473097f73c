import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LabHarness } from '../../harness/lab.ts'
import { send } from '../../harness/send.ts'
import { newBrowser, REDIRECT, signIn, walk, withoutDescription } from '../../harness/sign-in.ts'
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
    ['a service without keys of the app', () => ({ service: 'tumblr' }), 'no_service_keys'],
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
      assert.equal(withoutDescription(to.search), `?error=${error}&state=st%2B1`)
      assert.equal(reply.text, '')
    })
  }

  const long = (name: string, chars: number): [string, string] => [name, 'x'.repeat(chars)]
  const wrong: [what: string, pairs: [string, string][], description: RegExp, state: string | null][] = [
    [
      'a flag that is neither true nor false',
      [['force_login', 'maybe']],
      /^force_login: must be true, yes, 1, false, no or 0\.$/,
      's',
    ],
    ['a long scope', [long('scope', 2001)], /^scope: must have at most 2000 characters\.$/, 's'],
    ['a long flag', [long('flag', 2001)], /^flag: /, 's'],
    ['a long response type', [long('response_type', 2001)], /^response_type: /, 's'],
    ['a long access token', [long('access_token', 2001)], /^access_token: /, 's'],
    ['a long challenge', [long('code_challenge', 2001)], /^code_challenge: /, 's'],
    ['a challenge without a method', [long('code_challenge', 43)], /^code_challenge_method: is missing/, 's'],
    [
      'a second scope',
      [
        ['scope', 'a'],
        ['scope', 'a'],
      ],
      /^scope: was given more than once\.$/,
      's',
    ],
    [
      'a second response type',
      [
        ['response_type', 'code'],
        ['response_type', 'code'],
      ],
      /^response_type: was given/,
      's',
    ],
    [
      'a second access token',
      [
        ['access_token', 'a'],
        ['access_token', 'b'],
      ],
      /^access_token: was given/,
      's',
    ],
    ['a second service', [['service', 'demo-micro']], /^service: was given more than once\.$/, 's'],
    [
      'a second force_login',
      [
        ['force_login', 'true'],
        ['force_login', 'true'],
      ],
      /^force_login: was given/,
      's',
    ],
    [
      'a second challenge method',
      [
        ['code_challenge_method', 'S256'],
        ['code_challenge_method', 'S256'],
      ],
      /^code_chal/,
      's',
    ],
    ['a second state, which is not returned', [['state', 't']], /^state: was given more than once\.$/, null],
  ]
  for (const path of ['/oauth/authenticate', '/oauth/authorize'])
    for (const [what, pairs, description, state] of wrong)
      test(`${path}: ${what}`, async () => {
        const query = new URLSearchParams([...Object.entries({ ...good(), state: 's' }), ...pairs])
        const reply = await send(harness, 'GET', `${path}?${query.toString()}`, { headers: { accept: 'text/html' } })
        assert.equal(reply.status, 302)
        const to = new URL(reply.headers.get('location')!)
        assert.equal(to.origin + to.pathname, REDIRECT)
        assert.equal(to.searchParams.get('error'), 'invalid_request')
        assert.match(to.searchParams.get('error_description') ?? '', description)
        assert.equal(to.searchParams.get('state'), state)
      })

  test('a state that is too long is not returned, and the longest one is', async () => {
    const over = await open({ ...good(), state: 'x'.repeat(4001) })
    const to = new URL(over.headers.get('location')!)
    assert.deepEqual([to.searchParams.get('error'), to.searchParams.get('state')], ['invalid_request', null])
    assert.match(to.searchParams.get('error_description') ?? '', /^state: must have at most 4000 characters/)
    const longest = await open({ ...good(), state: 'x'.repeat(4000), service: 'nowhere' })
    assert.equal(new URL(longest.headers.get('location')!).searchParams.get('state'), 'x'.repeat(4000))
  })

  test('unknown parameters are ignored, also repeated ones, as RFC 6749 3.1 requires', async () => {
    const more = 'prompt=login&nonce=n&audience=a&resource=a&resource=b&limt=1&__proto__=x&constructor=y'
    const query = new URLSearchParams(good()).toString()
    const reply = await send(harness, 'GET', `/oauth/authenticate?${query}&${more}`)
    assert.equal(reply.status, 302)
    assert.ok(!reply.headers.get('location')!.startsWith(REDIRECT), 'the person goes to the service')
  })

  test('a description repeats nothing of the request', async () => {
    const canary = 'canary0123456789'
    for (const wrong of [
      { force_login: canary },
      { scope: canary.repeat(200) },
      { access_token: canary },
      { code_challenge: canary },
    ]) {
      const location = (await open({ ...good(), ...wrong })).headers.get('location')!
      assert.ok(location.startsWith(REDIRECT) && !location.includes(canary), location)
    }
  })

  test('the error is in the query also for response_type=token', async () => {
    const reply = await open({ ...good(), service: 'nowhere', response_type: 'token', state: 's' })
    const location = reply.headers.get('location')!
    assert.equal(withoutDescription(location), `${REDIRECT}?error=service_unknown&state=s`)
    const { search, hash } = new URL(location)
    assert.equal(hash.slice(1), search.slice(1), 'and in the fragment, where scripts read (RFC 6749 4.2.2.1)')
  })

  test('a service that does not respond, responds with nonsense, or refuses the keys', async () => {
    const social = harness.lab.services['demo-social']
    const micro = harness.lab.services['demo-micro']
    const outcome = async (service: string) =>
      (await walk(harness.startUrl(service, { state: 's' }), { person: 'ada' })).search
    micro.faults.add({ path: '/oauth/request_token', kind: 'reset' })
    assert.equal(withoutDescription(await outcome('demo-micro')), '?error=service_unreachable&state=s')
    for (const fault of [{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'html' }] as const) {
      social.faults.add({ path: '/oauth/token', ...fault })
      assert.equal(withoutDescription(await outcome('demo-social')), '?error=service_unreachable&state=s', fault.kind)
    }
    social.faults.add({ path: '/api/me', kind: 'status', status: 500 })
    assert.equal(withoutDescription(await outcome('demo-social')), '?error=service_unreachable&state=s')
    social.faults.add({ path: '/oauth/token', kind: 'response', status: 401, body: '{"error":"invalid_client"}' })
    assert.equal(withoutDescription(await outcome('demo-social')), '?error=service_refused&state=s')
    assert.deepEqual(await harness.sql('select 1 from profile where app_id = $1', [harness.app.clientId]), [])
  })

  test('of texts of the service only an excerpt of its error is passed on, without secrets and markup', async () => {
    const social = harness.lab.services['demo-social']
    const refused = async (body: string) => {
      social.faults.add({ path: '/oauth/token', kind: 'response', status: 400, body })
      return (
        (await walk(harness.startUrl('demo-social'), { person: 'ada' })).searchParams.get('error_description') ?? ''
      )
    }
    const secret = harness.app.keys['demo-social']!.secret
    const said = await refused(JSON.stringify({ error: 'invalid_client', error_description: `No\n“${secret}” here` }))
    assert.equal(said, "The service refuses the app's keys. It said: status 400, invalid_client: No '[redacted]' here.")
    assert.doesNotMatch(await refused('{"other":"canary-text"}'), /canary/)
    assert.doesNotMatch(await refused(`{"error":"x","error_description":"${'canary '.repeat(100)}end"}`), /end/)
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
    assert.match(page.title, /finish connecting/)
  })

  test('a callback of an unknown service', async () => {
    assertRefused(await send(harness, 'GET', '/auth/nowhere/callback?state=x&code=y'), 400, 'session_expired')
  })

  test('a second client_id or redirect_uri', async () => {
    for (const name of ['client_id', 'redirect_uri'] as const) {
      const query = new URLSearchParams([...Object.entries(good()), [name, good()[name]]])
      const reply = await send(harness, 'GET', `/oauth/authenticate?${query.toString()}`)
      assertRefused(reply, 400, 'bad_parameter')
      assert.equal(reply.body['param'], name)
      assert.equal(reply.headers.get('location'), null)
      const page = await send(harness, 'GET', `/oauth/authenticate?${query.toString()}`, {
        headers: { accept: 'text/html' },
      })
      assert.deepEqual([page.status, page.text.includes(`${name}: was given more than once.`)], [400, true])
    }
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
    assert.equal(withoutDescription(new URL(page.url).search), '?error=no_service_keys')
  })
})
