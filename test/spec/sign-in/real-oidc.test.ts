import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { basic } from '../../harness/app.ts'
import { callbackOf } from '../../harness/callback.ts'
import type { LabApp, LabHarness } from '../../harness/lab.ts'
import { ageCredentials } from '../../harness/profiles.ts'
import { get, send } from '../../harness/send.ts'
import { type Granted, redeem } from '../../harness/sign-in.ts'
import {
  type OidcProviderOptions,
  oidcProviderMissing,
  type RunningOidcProvider,
  startOidcProvider,
} from '../../real/oidc-provider.ts'
import { assertRefused, entryOf, pkce, startQuietHarness } from './fixture.ts'
import { finishReal, walkReal } from './real-walk.ts'

const skip = await oidcProviderMissing()

suite('sign-in at oidc-provider', { skip }, () => {
  let harness: LabHarness
  let provider: RunningOidcProvider
  /** An app that knows the provider's addresses without discovery. */
  let open: LabApp
  const openly = (issuer: string) => ({
    authorize_url: `${issuer}/auth`,
    token_url: `${issuer}/token`,
    api_url: issuer,
  })
  const running: RunningOidcProvider[] = []
  before(async () => {
    harness = await startQuietHarness()
    open = await harness.makeApp({ services: [] })
    provider = await start(harness.app)
  })
  after(async () => {
    await harness.stop()
    await Promise.all(running.map((each) => each.close()))
  })

  async function start(app: LabApp, options: Partial<OidcProviderOptions> = {}): Promise<RunningOidcProvider> {
    const redirectUris = (issuer: string) => [
      callbackOf(harness.tributary, app, 'oidc', { base_url: issuer }),
      callbackOf(harness.tributary, open, 'oidc', openly(issuer)),
    ]
    const made = await startOidcProvider({ redirectUris, requirePkce: true, rotateRefresh: true, ...options })
    running.push(made)
    const key = { key: made.clientId, secret: made.clientSecret, overrides: { base_url: made.issuer } }
    await harness.tributary.admin('PUT', `/admin/apps/${app.clientId}/keys/oidc`, key)
    return made
  }
  const walk = (person: { deny?: boolean; user?: string } = {}, query: Record<string, string> = {}) =>
    walkReal(harness, 'oidc', (url) => provider.login(url, person), query)
  const signIn = async (user: string, query: Record<string, string> = {}) => {
    const back = await finishReal(await walk({ user }, query))
    return (await (await redeem(harness, back.get('code')!)).json()) as Granted
  }

  test('a sign-in with PKCE on both legs returns the account and its person', async () => {
    const { verifier, query } = pkce()
    const walked = await walk({ user: 'maya' }, { ...query, state: 'app-state' })
    assert.ok(
      walked.authorizeUrl.searchParams.has('request_uri'),
      'the server takes pushed requests, so the browser carries none',
    )
    assert.equal(walked.callback.searchParams.get('iss'), provider.issuer)
    const back = await finishReal(walked)
    assert.equal(back.get('state'), 'app-state')
    const response = await redeem(harness, back.get('code')!, {
      code_verifier: verifier,
      profile: 'last',
      full: 'true',
    })
    const granted = (await response.json()) as Granted & { profile: unknown }
    const entry = entryOf(granted.profile, 'oidc')
    assert.deepEqual([entry['id'], entry['name'], entry['email']], ['maya', 'Maya Example', 'maya@people.example'])
    assert.equal((await get(harness, '/profiles/oidc', granted.access_token)).status, 200)
  })

  test('a denial reaches the app', async () => {
    const back = await finishReal(await walk({ deny: true }, { state: 's' }))
    assert.deepEqual([...back.keys()], ['error', 'error_description', 'state', 'iss'])
    assert.deepEqual([back.get('error'), back.get('state')], ['access_denied', 's'])
  })

  /** Without discovery nothing is pushed, and the challenge goes through the browser. */
  async function walkOpenly(change: (url: URL) => void): Promise<URLSearchParams> {
    const key = { key: provider.clientId, secret: provider.clientSecret, overrides: openly(provider.issuer) }
    await harness.tributary.admin('PUT', `/admin/apps/${open.clientId}/keys/oidc`, key)
    const tampering = (given: string) => {
      const url = new URL(given)
      assert.equal(url.searchParams.get('code_challenge_method'), 'S256')
      change(url)
      return provider.login(url.href)
    }
    return finishReal(await walkReal(harness, 'oidc', tampering, {}, open))
  }

  test('a code bound to another challenge is refused', async () => {
    assert.ok((await walkOpenly(() => {})).has('code'))
    const forged = pkce().query.code_challenge
    const back = await walkOpenly((url) => url.searchParams.set('code_challenge', forged))
    assert.equal(back.get('error'), 'service_refused')
  })

  test('the server refuses a request without its challenge', async () => {
    const back = await walkOpenly((url) => {
      url.searchParams.delete('code_challenge')
      url.searchParams.delete('code_challenge_method')
    })
    assert.equal(back.get('error'), 'service_refused')
  })

  test('a replayed callback is refused without a call to the server', async () => {
    const walked = await walk()
    await finishReal(walked)
    const again = await walked.open(walked.callback)
    assert.equal(again.status, 400)
    assert.match(again.text, /session_expired/)
  })

  test('a foreign, a changed and a missing code are refused', async () => {
    const [one, two] = [await walk({ user: 'ann' }), await walk({ user: 'bob' })]
    const crossed = await finishReal(one, (url) => url.searchParams.set('code', two.callback.searchParams.get('code')!))
    assert.equal(crossed.get('error'), 'service_refused', 'bound to another verifier')
    const missing = await finishReal(await walk(), (url) => url.searchParams.delete('code'))
    assert.equal(missing.get('error'), 'service_refused')
  })

  test('S03 an issuer that is wrong, or missing although announced, is refused', async () => {
    for (const change of [
      (url: URL) => url.searchParams.set('iss', 'https://elsewhere.example'),
      (url: URL) => url.searchParams.delete('iss'),
    ])
      assert.equal((await finishReal(await walk(), change)).get('error'), 'service_refused')
  })

  test('tokens are shown, refreshed with rotation, applied, and revoked', async () => {
    const granted = await signIn('rita')
    const current = async () => {
      const query = { auth: 'true', access_token: granted.access_token }
      return entryOf((await send(harness, 'GET', '/profiles', { query, headers: basic(harness.app) })).body, 'oidc')
    }
    const me = async (token: string) =>
      (await fetch(provider.userinfoUrl, { headers: { authorization: `Bearer ${token}` } })).status
    const first = await current()
    assert.equal(await me(first.auth.token), 200)
    await ageCredentials(harness.sql)
    const second = await current()
    assert.notEqual(second.auth.token, first.auth.token)
    assert.notEqual(second.auth.refresh_token, first.auth.refresh_token)
    const form = { token: second.auth.token }
    const applied = await send(harness, 'POST', '/auth/oidc/apply', { form, headers: basic(harness.app) })
    assert.equal(applied.body['profile'], 'rita@oidc')
    const response = await send(harness, 'DELETE', '/profiles/oidc', { token: granted.access_token })
    const resultOf = ({ body }: typeof response) => (body['deleted'] as { service_token: string }[])[0]?.service_token
    assert.equal(resultOf(response), 'kept', 'the other account uses the same token')
    assert.equal(await me(second.auth.token), 200)
    const token = String(applied.body['access_token'])
    assert.equal(resultOf(await send(harness, 'DELETE', '/profiles/oidc', { token })), 'revoked')
    assert.equal(await me(second.auth.token), 401)
    const late = await send(harness, 'POST', '/auth/oidc/apply', { form, headers: basic(harness.app) })
    assertRefused(late, 401, 'service_refused')
  })

  test('a second service joins the account', async () => {
    const first = await signIn('zoe')
    const linked = await signIn('zed', { access_token: first.access_token })
    assert.equal(linked.account, first.account)
    assert.deepEqual((await get(harness, '/profiles', first.access_token)).body['oidc'], ['zoe', 'zed'])
    assert.equal((await signIn('zed')).account, first.account)
  })
})
