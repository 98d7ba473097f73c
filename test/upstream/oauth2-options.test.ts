import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { demoSocial } from '#connectors/demo-social/connector.ts'
import type { Credential, OAuth2 } from '#kit/auth/auth.ts'
import { callService } from '#upstream/call/call-service.ts'
import { refreshCredential } from '#upstream/renew-credential.ts'
import { finishSignIn } from '#upstream/sign-in.ts'
import type { LabService } from '../../lab/base/service.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { labKey, refusal, walk, withOptions } from './fixture.ts'

const exchangeTrade = {
  grantType: 'long_token',
  tokenParam: 'short_token',
  path: '/oauth/exchange',
  ttlSeconds: 5_184_000,
  minAgeSeconds: 0,
  authenticated: true,
}
const renewTrade = {
  grantType: 'renew_token',
  tokenParam: 'access_token',
  path: '/oauth/renew',
  ttlSeconds: 5_184_000,
  minAgeSeconds: 86_400,
  authenticated: false,
}

suite('OAuth 2 options', () => {
  let lab: Lab<'demo-social'>
  let service: LabService
  let open: OpenUpstream
  let usual: Record<string, unknown>
  before(async () => {
    lab = await startLab({ services: ['demo-social'] })
    service = lab.services['demo-social']
    open = openUpstream(lab.clock)
    usual = { ...service.settings() }
    delete usual['rateLimit']
  })
  after(async () => {
    await open.close()
    await lab.close()
  })
  beforeEach(() => {
    service.configure(usual)
    service.faults.clear()
    service.requests.clear()
  })

  /** Signs in at the lab with matching options of lab and connector. */
  async function signIn(lab: Record<string, unknown>, knobs: Partial<OAuth2> = {}, secret?: string) {
    service.configure(lab)
    const connector = withOptions<OAuth2>(demoSocial, knobs)
    const key = labKey(service, secret === undefined ? {} : { secret })
    const { back } = await walk(open.upstream, { connector, key })
    const signedIn = await finishSignIn(open.upstream, back)
    assert.equal(signedIn.self.handle, 'ada')
    return { ...signedIn, connector, key }
  }
  const lifeOf = ({ expiresAt }: Credential) =>
    expiresAt === undefined ? undefined : Math.round((expiresAt - lab.clock.now()) / 1000)

  test('Basic, form-encoded or raw', async () => {
    await signIn({ clientAuth: ['client_secret_basic'] }, { tokenAuth: 'basic' }, 'a b+c%:ü')
    await signIn({ clientAuth: ['client_secret_basic'], basicEncoding: 'raw' }, { tokenAuth: 'basic_raw' }, 'a b+c%:ü')
  })

  test('key and secret in the query', async () => {
    await signIn({ clientAuth: ['query'] }, { tokenAuth: 'query' })
    assert.match(service.requests.to('/oauth/token')[0]!.target, /client_secret=/)
  })

  test('another name for the client id', async () => {
    const names = { client_id: 'client_key' }
    const { verifyApp: _, ...auth } = demoSocial.auth as OAuth2
    await signIn({ clientIdParam: 'client_key' }, { ...auth, names })
  })

  test('a JSON body', async () => {
    await signIn({ tokenBody: 'json' }, { tokenBody: 'json' })
    assert.equal(service.requests.to('/oauth/token')[0]!.headers['content-type'], 'application/json')
  })

  test('no PKCE', async () => {
    await signIn({ pkce: 'refused' }, { pkce: false })
  })

  test('a form-encoded response, a nested one, and one with the content type of a page', async () => {
    for (const knobs of [{ tokenResponse: 'form' }, { tokenResponse: 'wrong-type' }])
      assert.equal(lifeOf((await signIn(knobs)).credential), 3600)
    const { credential } = await signIn({ tokenResponse: 'nested', nestedKey: 'data' }, { tokenPath: ['data'] })
    assert.equal(lifeOf(credential), 3600)
    assert.ok(credential.refreshToken)
  })

  test('the expiry as number, text, time, missing, or set by the connector', async () => {
    for (const expiry of ['expires_in', 'expires_in_text', 'expires_at'])
      assert.ok(Math.abs((lifeOf((await signIn({ expiry })).credential) ?? 0) - 3600) <= 1, expiry)
    assert.equal((await signIn({ expiry: 'none' })).credential.expiresAt, undefined)
    assert.equal(lifeOf((await signIn({ expiry: 'none' }, { expiresInS: 1800 })).credential), 1800)
  })

  test('the token in the query of each call', async () => {
    await signIn({ bearer: ['query'], bearerQueryParam: 'auth' }, { tokenPlacement: { in: 'query', name: 'auth' } })
    assert.equal(service.requests.to('/api/me')[0]!.headers.authorization, undefined)
  })

  test('further parameters, with the key filled in', async () => {
    await signIn({}, { parameters: { authorize: { access_type: 'offline' }, token: { app: '{key}' }, refresh: {} } })
    assert.match(service.requests.to('/oauth/authorize')[0]!.target, /access_type=offline/)
    assert.match(service.requests.to('/oauth/token')[0]!.body, /app=[^&{]+/)
  })

  test('an error with status 200 is an error', async () => {
    service.configure({ tokenErrorStatus: '200' })
    const { back } = await walk(open.upstream, { connector: demoSocial, key: labKey(service) })
    const secrets = { ...back.secrets, verifier: 'x'.repeat(43) }
    const error = await refusal(finishSignIn(open.upstream, { ...back, secrets }), 'reauthorize', 'grant_refused')
    assert.equal(error.status, 200)
  })

  test('an error code that the connector declares', async () => {
    const connector = withOptions<OAuth2>(demoSocial, { errors: { '190': 'reauthorize', busy: 'retry' } })
    const key = labKey(service)
    for (const [error, recovery, reason] of [
      [{ code: 190, message: 'gone' }, 'reauthorize', 'grant_refused'],
      ['busy', 'retry', 'service_failed'],
    ] as const) {
      const { back } = await walk(open.upstream, { connector, key })
      service.faults.add({ path: '/oauth/token', kind: 'response', status: 400, body: JSON.stringify({ error }) })
      await refusal(finishSignIn(open.upstream, back), recovery, reason)
    }
  })

  test('a short-lived token is exchanged for a long-lived one, which is renewed later', async () => {
    service.configure({ longLived: exchangeTrade, renew: renewTrade, refresh: 'none', accessTtlSeconds: 600 })
    const knobs: Partial<OAuth2> = {
      longToken: {
        url: 'https://demo-social.test/oauth/exchange',
        method: 'GET',
        parameters: { grant_type: 'long_token', client_id: '{key}', client_secret: '{secret}', short_token: '{token}' },
      },
      renew: {
        url: 'https://demo-social.test/oauth/renew',
        method: 'GET',
        parameters: { grant_type: 'renew_token', access_token: '{token}' },
      },
    }
    // The lab reads the secret of this exchange from the query.
    service.configure({ clientAuth: ['client_secret_post', 'query'] })
    const { connector, key, credential } = await signIn({}, knobs)
    assert.equal(lifeOf(credential), 5_184_000)
    await refusal(refreshCredential(open.upstream, { connector, key, credential }), 'reauthorize', 'grant_refused')
    lab.clock.advance(2 * 86_400_000)
    const fresh = await refreshCredential(open.upstream, { connector, key, credential })
    assert.notEqual(fresh.token, credential.token)
    assert.equal(lifeOf(fresh), 5_184_000)
    assert.equal(fresh.scope, credential.scope)
  })

  test('a redirect of the token endpoint is not followed', async () => {
    const { back } = await walk(open.upstream, { connector: demoSocial, key: labKey(service) })
    const headers = { location: `${service.url}/elsewhere` }
    service.faults.add({ path: '/oauth/token', kind: 'response', status: 307, headers, body: '' })
    await refusal(finishSignIn(open.upstream, back), 'stop', 'redirect_refused')
    assert.equal(service.requests.count('/elsewhere'), 0)
  })

  test('calls have the credential and reach the API', async () => {
    const { connector, key, credential } = await signIn({})
    const caller = { upstream: open.upstream, connector, key, credential }
    const response = await callService(caller, { method: 'GET', path: '/me/posts', query: { limit: '1' } })
    assert.equal(response.status, 200)
    assert.equal(JSON.parse(response.text).data.length <= 1, true)
  })
})
