import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, suite, test } from 'node:test'
import { demoMicro } from '#connectors/demo-micro/connector.ts'
import type { OAuth1 } from '#kit/auth/auth.ts'
import { callService } from '#upstream/call/call-service.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn, verifyCredential } from '#upstream/sign-in.ts'
import type { LabService } from '../../lab/base/service.ts'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { CALLBACK, labKey, refusal, walk, withOptions } from './fixture.ts'

suite('OAuth 1.0a sign-in', () => {
  let lab: Lab<'demo-micro'>
  let service: LabService
  let open: OpenUpstream
  let usual: Record<string, unknown>
  before(async () => {
    lab = await startLab({ services: ['demo-micro'] })
    service = lab.services['demo-micro']
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

  async function held(connector = demoMicro, key = labKey(service)) {
    const { back, begun } = await walk(open.upstream, { connector, key })
    const signedIn = await finishSignIn(open.upstream, back)
    return { connector, key, begun, back, ...signedIn }
  }

  test('returns token, secret and person; a 64-bit id keeps its digits', async () => {
    const { credential, self, raw, begun } = await held()
    assert.equal(self.id, '7042118006123451000')
    assert.match(raw, /"id":7042118006123451000/)
    assert.ok(credential.token && credential.tokenSecret)
    assert.equal(begun.requestToken, new URL(begun.url).searchParams.get('oauth_token'))
    assert.equal(begun.url.includes(String(begun.secrets['requestTokenSecret'])), false)
  })

  test('a numeric id keeps its digits too', async () => {
    const byNumber = {
      ...demoMicro,
      self: { ...demoMicro.self, read: (body: unknown) => ({ id: String((body as { id: unknown }).id) }) },
    }
    assert.equal((await held(byNumber)).self.id, '7042118006123451000')
  })

  test('each signature method and each transmission of the parameters', async () => {
    const rsa = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    service.configure({ methods: ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'PLAINTEXT'] })
    for (const signature of ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1', 'PLAINTEXT'] as const)
      for (const transmit of ['header', 'query', 'body'] as const) {
        const registered = labKey(service, { publicKey: rsa.publicKey })
        const key = signature === 'RSA-SHA1' ? { ...registered, secret: rsa.privateKey } : registered
        const { self, connector, credential } = await held(withOptions<OAuth1>(demoMicro, { signature, transmit }), key)
        assert.equal(self.handle, 'ada', `${signature} ${transmit}`)
        const caller = { upstream: open.upstream, connector, key, credential }
        const posted = await callService(caller, {
          method: 'POST',
          path: '/statuses',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'status=a+b%20%26+%C3%BC&empty=',
        })
        assert.equal(JSON.parse(posted.text).text, 'a b & ü', `${signature} ${transmit}`)
      }
  })

  test('a realm is sent and not signed', async () => {
    assert.equal((await held(withOptions<OAuth1>(demoMicro, { realm: 'Photos and more' }))).self.handle, 'ada')
  })

  test('flag=dm opens the page that grants direct messages, on the same instance', async () => {
    const key = labKey(service)
    const { begun, back } = await walk(open.upstream, { connector: demoMicro, key, flag: 'dm', forceLogin: true })
    assert.equal(begun.url.startsWith(`${service.url}/oauth/authorize?`), true)
    assert.equal(new URL(begun.url).searchParams.get('force_login'), 'true')
    const { credential } = await finishSignIn(open.upstream, back)
    const caller = { upstream: open.upstream, connector: demoMicro, key }
    assert.equal((await callService({ ...caller, credential }, { method: 'GET', path: '/messages' })).status, 200)
    const plain = await held(demoMicro, key)
    const refused = await callService({ ...caller, credential: plain.credential }, { method: 'GET', path: '/messages' })
    assert.equal(refused.status, 403)
  })

  test('the login page of a flag moves with an overridden authorize_url', async () => {
    const { key, secret } = service.register({ redirectUris: [CALLBACK] })
    const overrides = {
      request_token_url: service.endpoints['request_token_url']!,
      authorize_url: service.endpoints['authorize_url']!,
      access_token_url: service.endpoints['access_token_url']!,
      api_url: service.endpoints['api_url']!,
    }
    const { begun, back } = await walk(open.upstream, {
      connector: demoMicro,
      key: { key, secret, overrides },
      flag: 'dm',
    })
    assert.equal(begun.url.startsWith(service.endpoints['authorize_dm_url']!), true)
    assert.equal((await finishSignIn(open.upstream, back)).self.handle, 'ada')
  })

  test('the scope is sent with the signed token request, if the service has scopes', async () => {
    const connector = withOptions<OAuth1>(demoMicro, { scopeName: 'perms' })
    const input = { connector, key: labKey(service), callbackUrl: CALLBACK, state: 's', scope: 'read write' }
    const { secrets } = await beginSignIn(open.upstream, input)
    assert.match(service.requests.to('/oauth/request_token')[0]!.target, /\?perms=read%2Cwrite$/)
    assert.equal(secrets['scope'], 'read,write')
  })

  test('S27 no verifier, wrong request token, callback not confirmed, reused token', async () => {
    const { back } = await held()
    const without = new URLSearchParams(back.params)
    without.delete('oauth_verifier')
    await refusal(finishSignIn(open.upstream, { ...back, params: without }), 'stop', 'verifier_missing')
    const other = new URLSearchParams({ oauth_token: 'other', oauth_verifier: 'x' })
    await refusal(finishSignIn(open.upstream, { ...back, params: other }), 'stop', 'request_token_mismatch')
    await refusal(finishSignIn(open.upstream, back), 'reauthorize', 'service_refused')
    service.configure({ callbackConfirmed: 'missing' })
    const input = { connector: demoMicro, key: labKey(service), callbackUrl: CALLBACK, state: 's' }
    await refusal(beginSignIn(open.upstream, input), 'stop', 'callback_unconfirmed')
  })

  test('a wrong verifier is refused, and the message has no secret', async () => {
    const { back } = await walk(open.upstream, { connector: demoMicro, key: labKey(service) })
    const params = new URLSearchParams({ oauth_token: back.params.get('oauth_token')!, oauth_verifier: 'guess' })
    const error = await refusal(finishSignIn(open.upstream, { ...back, params }), 'reauthorize', 'service_refused')
    assert.match(error.message, /verifier_invalid/)
    assert.equal(error.message.includes(String(back.secrets['requestToken'])), false)
  })

  test('the person declines', async () => {
    const { back } = await walk(open.upstream, { connector: demoMicro, key: labKey(service), decision: 'deny' })
    await refusal(finishSignIn(open.upstream, back), 'stop', 'access_denied')
  })

  test('wrong keys and an outage have different reasons', async () => {
    const input = { connector: demoMicro, callbackUrl: CALLBACK, state: 's' }
    const key = labKey(service)
    const wrong = { ...key, secret: 'not it' }
    await refusal(beginSignIn(open.upstream, { ...input, key: wrong }), 'stop', 'service_refused')
    service.faults.add({ path: '/oauth/request_token', kind: 'status', status: 503, retryAfterSeconds: 3 })
    const error = await refusal(beginSignIn(open.upstream, { ...input, key }), 'retry', 'service_failed')
    assert.equal(error.retryAfterMs, 3000)
    const pem = withOptions<OAuth1>(demoMicro, { signature: 'RSA-SHA1' })
    await refusal(beginSignIn(open.upstream, { ...input, connector: pem, key }), 'stop', 'keys_refused')
  })

  test('a modified call is refused by the service', async () => {
    const { connector, key, credential } = await held()
    const caller = { upstream: open.upstream, connector, key }
    const status = async (tokenSecret: string) =>
      (await callService({ ...caller, credential: { ...credential, tokenSecret } }, { method: 'GET', path: '/me' }))
        .status
    assert.equal(await status('tampered'), 401)
    assert.equal(await status(credential.tokenSecret!), 200)
  })

  test('S26 a token is accepted only with the keys of its app', async () => {
    const { credential, connector, key } = await held()
    assert.equal((await verifyCredential(open.upstream, { connector, key, credential })).self.handle, 'ada')
    const other = labKey(service)
    await refusal(
      verifyCredential(open.upstream, { connector, key: other, credential }),
      'reauthorize',
      'service_refused',
    )
  })

  test('revocation ends the token; a second one is refused; refreshing is not possible', async () => {
    const grant = await held()
    await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'no_refresh_token')
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    await refusal(verifyCredential(open.upstream, grant), 'reauthorize', 'service_refused')
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'refused')
  })
})
