import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { OAuth1 } from '#kit/auth/auth.ts'
import { callService } from '#upstream/call/call-service.ts'
import { revokeCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn, verifyCredential } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import { oauthlibMissing, type RunningOauthlibProvider, startOauthlibProvider } from '../real/oauthlib-provider.ts'
import { oauthlib } from './connectors/oauthlib.ts'
import { backFrom, CALLBACK, refusal, withOptions } from './fixture.ts'

const skip = await oauthlibMissing()

suite('sign-in at a service verified by oauthlib', { skip }, () => {
  let open: OpenUpstream
  let provider: RunningOauthlibProvider
  before(async () => {
    open = openUpstream()
    provider = await startOauthlibProvider({ callbacks: [CALLBACK] })
  })
  after(async () => {
    await open.close()
    await provider.close()
  })

  const keyWith = (secret = provider.consumerSecret) => ({
    key: provider.consumerKey,
    secret,
    overrides: { base_url: provider.url },
  })

  async function signIn(connector = oauthlib, key = keyWith(), person: { deny?: boolean; user?: string } = {}) {
    const begun = await beginSignIn(open.upstream, { connector, key, callbackUrl: CALLBACK, state: 's' })
    const url = await provider.login(begun.url, person)
    return backFrom({ connector, key }, begun, new URL(url).searchParams)
  }

  test('all three legs with each method and each transmission', async () => {
    for (const signature of ['HMAC-SHA1', 'HMAC-SHA256', 'RSA-SHA1'] as const)
      for (const transmit of ['header', 'query', 'body'] as const) {
        const key = keyWith(signature === 'RSA-SHA1' ? provider.rsaPrivateKey : undefined)
        const connector = withOptions<OAuth1>(oauthlib, { signature, transmit })
        const { self, credential } = await finishSignIn(open.upstream, await signIn(connector, key, { user: 'bob' }))
        assert.match(self.id, /bob/, `${signature} ${transmit}`)
        const caller = { upstream: open.upstream, connector, key, credential }
        const query = { count: '2', q: 'a b+c', empty: '', 'sp cial~*': "é'(世界)" }
        assert.equal((await callService(caller, { method: 'GET', path: '/items', query })).status, 200)
        const form = { 'content-type': 'application/x-www-form-urlencoded' }
        const body = 'text=a+b%2Bc&text=twice&empty=&none'
        const echoed = await callService(caller, {
          method: 'POST',
          path: '/echo',
          query: { z: '1' },
          headers: form,
          body,
        })
        assert.equal(echoed.status, 200, `${signature} ${transmit} ${echoed.text}`)
      }
  })

  test('a body that is not a form is sent unchanged', async () => {
    const back = await signIn()
    const { credential } = await finishSignIn(open.upstream, back)
    const caller = { upstream: open.upstream, connector: oauthlib, key: back.key, credential }
    const headers = { 'content-type': 'application/json' }
    const response = await callService(caller, { method: 'POST', path: '/echo', headers, body: '{"a":1}' })
    assert.equal(response.status, 200)
  })

  test('S27 a wrong verifier, a denial, a reused and a foreign request token', async () => {
    const wrong = await signIn()
    wrong.params.set('oauth_verifier', 'guess')
    await refusal(finishSignIn(open.upstream, wrong), 'reauthorize', 'service_refused')

    await assert.rejects(finishSignIn(open.upstream, await signIn(oauthlib, keyWith(), { deny: true })), {
      name: 'UpstreamError',
      recovery: 'stop',
    })

    const used = await signIn()
    await finishSignIn(open.upstream, used)
    await refusal(finishSignIn(open.upstream, used), 'reauthorize', 'service_refused')

    const [one, two] = [await signIn(), await signIn()]
    const crossed = { ...one, params: two.params }
    await refusal(finishSignIn(open.upstream, crossed), 'stop', 'request_token_mismatch')
  })

  test('a modified request is refused', async () => {
    const input = { connector: oauthlib, callbackUrl: CALLBACK, state: 's' }
    await refusal(beginSignIn(open.upstream, { ...input, key: keyWith('wrong') }), 'stop', 'service_refused')
    const other = { ...input, callbackUrl: `${CALLBACK}/other`, key: keyWith() }
    await refusal(beginSignIn(open.upstream, other), 'stop', 'service_refused')
    const back = await signIn()
    const { credential } = await finishSignIn(open.upstream, back)
    const tampered = { ...credential, tokenSecret: 'tampered' }
    const held = { connector: oauthlib, key: back.key }
    await refusal(verifyCredential(open.upstream, { ...held, credential: tampered }), 'reauthorize', 'service_refused')
    await provider.revoke(credential.token)
    await refusal(verifyCredential(open.upstream, { ...held, credential }), 'reauthorize', 'service_refused')
    assert.equal(await revokeCredential(open.upstream, { ...held, credential }, 'grant'), 'not_offered')
  })
})
