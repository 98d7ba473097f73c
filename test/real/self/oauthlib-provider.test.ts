import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { oauthlibMissing, type RunningOauthlibProvider, startOauthlibProvider } from '../oauthlib-provider.ts'
import { type Oauth1Keys, type Oauth1Request, send, signOauth1 } from './oauth1-signing.ts'

const callback = 'http://127.0.0.1:9/auth/callback?kept=1'

const skip = await oauthlibMissing()

suite('oauthlib provider', () => {
  let service: RunningOauthlibProvider
  if (skip === false) {
    before(async () => {
      service = await startOauthlibProvider({ callbacks: [callback] })
    })
    after(() => service.close())
  }

  const consumer = (): Oauth1Keys => ({ consumerKey: service.consumerKey, consumerSecret: service.consumerSecret })
  const call = (keys: Oauth1Keys, request: Oauth1Request) => send(signOauth1(keys, request))

  async function requestToken(oauth: Record<string, string> = {}, keys = consumer()) {
    const request = {
      method: 'POST',
      url: service.requestTokenUrl,
      oauth: { oauth_callback: callback, ...oauth },
    } as const
    const response = await call(keys, request)
    return { ...response, fields: Object.fromEntries(new URLSearchParams(response.text)) }
  }

  async function verified(user = 'alice') {
    const { fields } = await requestToken()
    const redirect = new URL(await service.login(`${service.authorizeUrl}?oauth_token=${fields.oauth_token}`, { user }))
    const keys = { ...consumer(), token: fields.oauth_token ?? '', tokenSecret: fields.oauth_token_secret ?? '' }
    return { keys, redirect, verifier: redirect.searchParams.get('oauth_verifier') ?? '' }
  }

  const exchange = (keys: Oauth1Keys, verifier: string) =>
    call(keys, { method: 'POST', url: service.accessTokenUrl, oauth: { oauth_verifier: verifier } })

  async function granted(user = 'alice'): Promise<Oauth1Keys & { token: string }> {
    const { keys, verifier } = await verified(user)
    const fields = Object.fromEntries(new URLSearchParams((await exchange(keys, verifier)).text))
    return { ...consumer(), token: fields.oauth_token ?? '', tokenSecret: fields.oauth_token_secret ?? '' }
  }

  test('the three-legged flow, then signed calls with awkward parameters', { skip }, async () => {
    const issued = await requestToken()
    assert.equal(issued.fields.oauth_callback_confirmed, 'true')
    const { redirect } = await verified('maya')
    assert.equal(redirect.searchParams.get('kept'), '1')
    const keys = await granted('maya')
    const me = await call(keys, { method: 'GET', url: service.meUrl })
    assert.deepEqual(JSON.parse(me.text), { id: 'id-maya', screen_name: 'maya', name: 'Maya Example' })
    const url = `${service.itemsUrl}?limit=20&q=${encodeURIComponent("a b!*'()~世界&=+")}&empty=&two=2&two=1`
    const page = JSON.parse((await call(keys, { method: 'GET', url })).text) as Record<string, unknown>
    assert.deepEqual(page.query, { limit: ['20'], q: ["a b!*'()~世界&=+"], empty: [''], two: ['2', '1'] })
    assert.equal(page.next, 20)
    const form: [string, string][] = [
      ['status', 'héllo & goodbye+'],
      ['status', 'again'],
      ['empty', ''],
    ]
    const echoed = JSON.parse((await call(keys, { method: 'POST', url: service.echoUrl, form })).text) as {
      form: unknown
    }
    assert.deepEqual(echoed.form, form)
  })

  test('HMAC-SHA256 and RSA-SHA1 are accepted, PLAINTEXT is not', { skip }, async () => {
    const keys = await granted()
    const get = { method: 'GET', url: service.meUrl } as const
    assert.equal((await call(keys, { ...get, oauth: { oauth_signature_method: 'HMAC-SHA256' } })).status, 200)
    assert.equal((await call(keys, { ...get, rsaPrivateKey: service.rsaPrivateKey })).status, 200)
    assert.equal((await call(keys, { ...get, oauth: { oauth_signature_method: 'PLAINTEXT' } })).status, 401)
  })

  test('a denied request returns the token in `denied` and cannot be exchanged', { skip }, async () => {
    const { fields } = await requestToken()
    const redirect = new URL(
      await service.login(`${service.authorizeUrl}?oauth_token=${fields.oauth_token}`, { deny: true }),
    )
    assert.equal(redirect.searchParams.get('denied'), fields.oauth_token)
    const keys = { ...consumer(), token: fields.oauth_token ?? '', tokenSecret: fields.oauth_token_secret ?? '' }
    assert.deepEqual((await exchange(keys, 'any-verifier')).status, 401)
  })

  test('an unknown callback and an unknown consumer get no request token', { skip }, async () => {
    const elsewhere = await requestToken({ oauth_callback: 'http://127.0.0.1:9/other' })
    assert.deepEqual([elsewhere.status, elsewhere.failed], [401, ['callback']])
    const unknown = await requestToken({}, { ...consumer(), consumerKey: 'unknown-consumer' })
    assert.equal(unknown.status, 401)
    assert.ok(unknown.failed.includes('client'))
    const oldVersion = await requestToken({ oauth_version: '1.0A' })
    assert.equal(oldVersion.status, 400)
  })

  test('a wrong verifier is refused, and a request token works once', { skip }, async () => {
    const { keys, verifier } = await verified()
    const wrong = await exchange(keys, 'wrong-verifier')
    assert.deepEqual([wrong.status, wrong.failed], [401, ['verifier']])
    assert.equal((await exchange(keys, verifier)).status, 200)
    assert.equal((await exchange(keys, verifier)).status, 401)
  })

  test('replay, tampering, an old timestamp and a wrong token secret are refused', { skip }, async () => {
    const keys = await granted()
    const signed = signOauth1(keys, { method: 'GET', url: `${service.itemsUrl}?limit=1` })
    assert.equal((await send(signed)).status, 200)
    const replayed = await send(signed)
    assert.deepEqual([replayed.status, replayed.failed], [401, ['nonce']])
    const fresh = signOauth1(keys, { method: 'GET', url: `${service.itemsUrl}?limit=1` })
    const tampered = await send({ ...fresh, url: `${service.itemsUrl}?limit=2` })
    assert.deepEqual([tampered.status, tampered.failed], [401, ['signature']])
    const form = signOauth1(keys, { method: 'POST', url: service.echoUrl, form: [['a', '1']] })
    assert.deepEqual((await send({ ...form, body: 'a=2' })).failed, ['signature'])
    const oauth = { oauth_timestamp: String(Math.floor(Date.now() / 1000) - 4000) }
    assert.equal((await call(keys, { method: 'GET', url: service.meUrl, oauth })).status, 401)
    const secret = await call({ ...keys, tokenSecret: 'wrong-secret' }, { method: 'GET', url: service.meUrl })
    assert.deepEqual([secret.status, secret.failed], [401, ['signature']])
  })

  test('a revoked access token is refused', { skip }, async () => {
    const keys = await granted()
    assert.equal(await service.revoke(keys.token), true)
    const refused = await call(keys, { method: 'GET', url: service.meUrl })
    assert.equal(refused.status, 401)
    assert.ok(refused.failed.includes('resource_owner'))
    assert.equal(await service.revoke(keys.token), false)
  })
})
