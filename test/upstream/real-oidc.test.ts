import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import type { OAuth2 } from '#kit/auth/auth.ts'
import { selfFromIdToken } from '#kit/auth/self.ts'
import { refreshCredential, revokeCredential } from '#upstream/renew-credential.ts'
import { beginSignIn, finishSignIn, verifyCredential } from '#upstream/sign-in.ts'
import { type OpenUpstream, openUpstream } from '../harness/upstream.ts'
import {
  type OidcClient,
  type OidcProviderOptions,
  oidcProviderMissing,
  type RunningOidcProvider,
  startOidcProvider,
} from '../real/oidc-provider.ts'
import { oidc } from './connectors/oidc.ts'
import { backFrom, CALLBACK, refusal, withOptions } from './fixture.ts'

const skip = await oidcProviderMissing()

const addressesOf = (provider: RunningOidcProvider) => ({
  authorize_url: provider.authorizeUrl,
  token_url: provider.tokenUrl,
  revoke_url: provider.revokeUrl,
  api_url: provider.issuer,
})

suite('sign-in at oidc-provider', { skip }, () => {
  let open: OpenUpstream
  const running: RunningOidcProvider[] = []
  before(() => {
    open = openUpstream()
  })
  after(async () => {
    await open.close()
    await Promise.all(running.map((provider) => provider.close()))
  })

  async function start(options: Partial<OidcProviderOptions> = {}) {
    const provider = await startOidcProvider({ redirectUris: [CALLBACK], ...options })
    running.push(provider)
    const key = { key: provider.clientId, secret: provider.clientSecret, overrides: { base_url: provider.issuer } }
    const signIn = async (person: { deny?: boolean; user?: string } = {}, connector = oidc) => {
      const begun = await beginSignIn(open.upstream, { connector, key, callbackUrl: CALLBACK, state: 'st' })
      const url = await provider.login(begun.url, person)
      return backFrom({ connector, key }, begun, new URL(url).searchParams)
    }
    return { provider, key, signIn }
  }

  test('the person from the ID token, verified by discovered keys', async () => {
    const { signIn } = await start()
    const connector = { ...withOptions<OAuth2>(oidc, { idToken: {} }), self: selfFromIdToken() }
    const { self, credential } = await finishSignIn(open.upstream, await signIn({ user: 'bob' }, connector))
    assert.equal(self.id, 'bob')
    assert.equal(credential.subject, 'bob')
  })

  test('the whole flow with PKCE and discovery', async () => {
    const { signIn, key, provider } = await start()
    const back = await signIn({ user: 'bob' })
    assert.equal(back.params.get('iss'), provider.issuer)
    const { self, credential } = await finishSignIn(open.upstream, back)
    assert.deepEqual(self, {
      id: 'bob',
      name: 'Bob Example',
      email: 'bob@people.example',
      photo: 'https://people.example/bob.png',
    })
    assert.equal(credential.scope, 'openid profile email')
    assert.equal((await verifyCredential(open.upstream, { connector: oidc, key, credential })).self.id, 'bob')
  })

  test('secret in the body, and explicit addresses', async () => {
    const { provider, key } = await start({ authMethod: 'client_secret_post' })
    const connector = withOptions<OAuth2>(oidc, { tokenAuth: 'post' })
    const own = { ...key, overrides: addressesOf(provider) }
    const begun = await beginSignIn(open.upstream, { connector, key: own, callbackUrl: CALLBACK, state: 'st' })
    const url = await provider.login(begun.url)
    const back = backFrom({ connector, key: own }, begun, new URL(url).searchParams)
    assert.equal((await finishSignIn(open.upstream, back)).self.id, 'alice')
  })

  test('without PKCE the server refuses: at the pushed request, else by redirect', async () => {
    const { signIn, key, provider } = await start()
    const connector = withOptions<OAuth2>(oidc, { pkce: false })
    const error = await refusal(signIn({}, connector), 'stop', 'request_refused')
    assert.match(error.message, /PKCE/)
    const own = { ...key, overrides: addressesOf(provider) }
    const begun = await beginSignIn(open.upstream, { connector, key: own, callbackUrl: CALLBACK, state: 'st' })
    const url = await provider.login(begun.url)
    const back = backFrom({ connector, key: own }, begun, new URL(url).searchParams)
    await refusal(finishSignIn(open.upstream, back), 'stop', 'request_refused')
  })

  test('a wrong verifier, a denial and a replay are refused', async () => {
    const { signIn } = await start()
    const wrong = await signIn()
    const secrets = { ...wrong.secrets, verifier: 'y'.repeat(43) }
    await refusal(finishSignIn(open.upstream, { ...wrong, secrets }), 'reauthorize', 'grant_refused')

    await refusal(finishSignIn(open.upstream, await signIn({ deny: true })), 'stop', 'access_denied')

    const back = await signIn()
    const { credential, ...rest } = await finishSignIn(open.upstream, back)
    assert.equal(rest.self.id, 'alice')
    await refusal(finishSignIn(open.upstream, back), 'reauthorize', 'grant_refused')
    // The server revokes the tokens of the first use.
    const { connector, key } = back
    await refusal(verifyCredential(open.upstream, { connector, key, credential }), 'reauthorize', 'service_refused')
  })

  test('S03 the issuer: wrong, missing although announced, missing and not announced', async () => {
    const wrong = await start({ iss: 'https://elsewhere.example' })
    await refusal(finishSignIn(open.upstream, await wrong.signIn()), 'stop', 'issuer_mismatch')
    const announced = await start()
    const back = await announced.signIn()
    back.params.delete('iss')
    await refusal(finishSignIn(open.upstream, back), 'stop', 'issuer_mismatch')
    const { provider, key } = await start({ iss: false })
    const own = { ...key, overrides: addressesOf(provider) }
    const begun = await beginSignIn(open.upstream, { connector: oidc, key: own, callbackUrl: CALLBACK, state: 'st' })
    const params = new URL(await provider.login(begun.url)).searchParams
    assert.equal(params.has('iss'), false)
    assert.equal(
      (await finishSignIn(open.upstream, backFrom({ connector: oidc, key: own }, begun, params))).self.id,
      'alice',
    )
  })

  test('refresh, with and without rotation; reuse of a rotated token is a lost grant', async () => {
    for (const rotateRefresh of [false, true]) {
      const { signIn } = await start({ rotateRefresh })
      const back = await signIn()
      const { credential } = await finishSignIn(open.upstream, back)
      const grant = { connector: back.connector, key: back.key, credential }
      const fresh = await refreshCredential(open.upstream, grant)
      assert.notEqual(fresh.token, credential.token)
      assert.equal(fresh.refreshToken === credential.refreshToken, !rotateRefresh)
      assert.equal((await verifyCredential(open.upstream, { ...grant, credential: fresh })).self.id, 'alice')
      if (rotateRefresh) await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
    }
  })

  test('revocation ends the grant', async () => {
    const { signIn } = await start()
    const back = await signIn()
    const { credential } = await finishSignIn(open.upstream, back)
    const grant = { connector: back.connector, key: back.key, credential }
    assert.equal(await revokeCredential(open.upstream, grant, 'grant'), 'revoked')
    await refusal(refreshCredential(open.upstream, grant), 'reauthorize', 'grant_refused')
    await refusal(verifyCredential(open.upstream, grant), 'reauthorize', 'service_refused')
  })

  test('client authentication by a signed assertion', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' }
    const client = {
      client_id: 'asserting',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    } as unknown as OidcClient
    const { provider, key } = await start({ clients: [client] })
    const secret = JSON.stringify({ ...pair.privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' })
    const own = { ...key, key: 'asserting', secret }
    const connector = withOptions<OAuth2>(oidc, { tokenAuth: 'private_key_jwt' })
    const input = { connector, callbackUrl: CALLBACK, state: 'st' }
    const begun = await beginSignIn(open.upstream, { ...input, key: own })
    const params = new URL(await provider.login(begun.url)).searchParams
    const signedIn = await finishSignIn(open.upstream, backFrom({ connector, key: own }, begun, params))
    assert.equal(signedIn.self.id, 'alice')
    const broken = { ...own, secret: 'no key' }
    await refusal(beginSignIn(open.upstream, { ...input, key: broken }), 'stop', 'keys_refused')
  })

  test('wrong keys are the app’s fault', async () => {
    const { signIn } = await start()
    const back = await signIn()
    const key = { ...back.key, secret: 'wrong' }
    await refusal(finishSignIn(open.upstream, { ...back, key }), 'stop', 'keys_refused')
  })
})
