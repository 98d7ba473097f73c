import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { oauth2 } from '#kit/auth/auth.ts'
import { selfFromIdToken } from '#kit/auth/self.ts'
import { defineConnector } from '#kit/connector/connector.ts'
import { beginSignIn, finishSignIn } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { backFrom, CALLBACK, refusal } from './fixture.ts'
import { json, type LoopbackServer, startLoopback } from './loopback-server.ts'

const connector = defineConnector({
  service: 'claims',
  title: 'Claims',
  docs: 'none',
  auth: oauth2({
    authorizeUrl: 'https://claims.test/authorize',
    tokenUrl: 'https://claims.test/token',
    scope: { default: ['openid'] },
    idToken: { issuer: 'https://claims.test', jwksUrl: 'https://claims.test/jwks' },
  }),
  api: { baseUrl: 'https://claims.test/api' },
  self: selfFromIdToken(),
})

suite('the ID token of a sign-in', () => {
  let open: OpenUpstream
  let issuer: LoopbackServer
  let pair: Awaited<ReturnType<typeof generateKeyPair>>
  let kid: string
  let publicKey: JWK
  let idToken: string
  before(async () => {
    open = openUpstream()
    issuer = await startLoopback((request, response) => {
      if (request.url === '/jwks') json(response, { keys: [{ ...publicKey, kid, alg: 'ES256' }] })
      else json(response, { access_token: 't', token_type: 'Bearer', id_token: idToken })
    })
  })
  after(async () => {
    await open.close()
    await issuer.close()
  })
  const newKeys = async () => {
    pair = await generateKeyPair('ES256')
    publicKey = await exportJWK(pair.publicKey)
    kid = crypto.randomUUID()
  }
  beforeEach(newKeys)

  const key = () => ({ key: 'our-app', secret: 's', overrides: { base_url: issuer.url } })

  /** Signs in with a token that the test may change; returns the nonce that was asked for. */
  async function signIn(change: (payload: JWTPayload) => object, sign?: (payload: JWTPayload) => Promise<string>) {
    const begun = await beginSignIn(open.upstream, { connector, key: key(), callbackUrl: CALLBACK, state: 's' })
    const nonce = new URL(begun.url).searchParams.get('nonce') ?? ''
    const nowS = Math.floor(Date.now() / 1000)
    const good = {
      iss: issuer.url,
      aud: 'our-app',
      sub: 'ada',
      name: 'Ada',
      email: 'ada@people.test',
      nonce,
      iat: nowS,
      exp: nowS + 300,
    }
    // Without the claims that are undefined.
    const payload = JSON.parse(JSON.stringify(change(good))) as JWTPayload
    idToken = await (sign?.(payload) ??
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(pair.privateKey))
    return finishSignIn(open.upstream, backFrom({ connector, key: key() }, begun, new URLSearchParams({ code: 'c' })))
  }

  test('names the person, and only claims about the person are kept', async () => {
    const { self, raw, credential } = await signIn((payload) => payload)
    assert.deepEqual(self, { id: 'ada', name: 'Ada', email: 'ada@people.test' })
    assert.deepEqual(JSON.parse(raw), { sub: 'ada', name: 'Ada', email: 'ada@people.test' })
    assert.equal(credential.subject, 'ada')
  })

  test('is verified with keys that the issuer changed since', async () => {
    await signIn((payload) => payload)
    await newKeys()
    assert.equal((await signIn((payload) => payload)).self.id, 'ada')
  })

  for (const [what, change] of Object.entries<(payload: JWTPayload) => object>({
    'of another issuer': (payload) => ({ ...payload, iss: 'https://evil.test' }),
    'for another app': (payload) => ({ ...payload, aud: 'other-app' }),
    'for several apps, issued to another': (payload) => ({ ...payload, aud: ['our-app', 'other'], azp: 'other' }),
    'of another sign-in': (payload) => ({ ...payload, nonce: 'replayed' }),
    'without nonce': (payload) => ({ ...payload, nonce: undefined }),
    'that has expired': (payload) => ({ ...payload, exp: Math.floor(Date.now() / 1000) - 3600 }),
    'without expiry': (payload) => ({ ...payload, exp: undefined }),
    'without a person': (payload) => ({ ...payload, sub: undefined }),
  }))
    test(`${what} is refused`, async () => {
      await refusal(signIn(change), 'stop', 'subject_mismatch')
    })

  test('with another key, with the app’s secret or without a signature is refused', async () => {
    const stranger = await generateKeyPair('ES256')
    const text = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const forged = [
      (payload: JWTPayload) => new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(stranger.privateKey),
      (payload: JWTPayload) =>
        new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(Buffer.from('s'.repeat(32))),
      (payload: JWTPayload) => Promise.resolve(`${text({ alg: 'none', kid })}.${text(payload)}.`),
      () => Promise.resolve('no token'),
    ]
    for (const sign of forged)
      await refusal(
        signIn((payload) => payload, sign),
        'stop',
        'subject_mismatch',
      )
  })
})
